import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { filesBeside } from '#test/builders/large-files.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const FILES = 60
const settings = readSettings({ LCM_LARGE_FILE_TOKEN_THRESHOLD: '300' })

function memoryWithLargeTexts(): TestMemory {
  return buildMemory({
    conversations: [
      {
        messages: Array.from({ length: FILES }, (_, number) => {
          const rows = Array.from({ length: 150 }, (_, row) => `${number},${row},value ${number * row}`).join('\n')
          return { content: `Number ${number}: <file name="table-${number}.csv">a,b,c\n${rows}</file>` }
        }),
      },
    ],
  })
}

/** Files in the folder, by whether they have their places or wait for them. */
function filesOf(to: string): { readonly placed: string[]; readonly waiting: string[] } {
  const root = filesBeside(to)
  const namesIn = (folder: string): string[] =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  const folders = namesIn(root).filter((path) => !path.endsWith('.incoming'))
  return { placed: folders.flatMap(namesIn).sort(), waiting: namesIn(join(root, '.incoming')) }
}

async function copyTo(from: Lcm, to: string, signal = new AbortController().signal, onStep = () => {}): Promise<void> {
  const job = copyMemory({ from, to, largeTexts: from.largeTextsOf(to) }, signal)
  while (!(await job.next()).done) onStep()
}

async function expectWhole(to: string): Promise<void> {
  using copy = await openLcm(to, { settings, readOnly: true })
  const paths = copy.retrieval.files(1).map(({ storageUri }) => storageUri)
  expect(paths).toHaveLength(FILES)
  expect(paths.sort()).toEqual(filesOf(to).placed)
}

it('leaves no large file when a copy is cancelled, and none that was there before is touched', async () => {
  using memory = memoryWithLargeTexts()
  using from = await openLcm(memory.path, { settings, readOnly: true })
  const to = join(temporaryFolder(), 'copy.db')
  const other = join(filesBeside(to), '1', 'file_00000000000000ff.txt')
  mkdirSync(dirname(other), { recursive: true })
  writeFileSync(other, 'of another memory')
  const stop = new AbortController()
  let seen = 0
  const copying = copyTo(from, to, stop.signal, () => {
    seen = Math.max(seen, filesOf(to).waiting.length)
    if (seen > 0) stop.abort()
  })
  await expect(copying).rejects.toMatchObject({ code: 'cancelled' })
  expect(seen).toBeGreaterThan(0)
  expect(filesOf(to)).toEqual({ placed: [other], waiting: [] })
  expect(existsSync(to)).toBe(false)
})

it('removes the large files of a copy whose name is taken at the last moment, but none that it found there', async () => {
  using memory = memoryWithLargeTexts()
  using from = await openLcm(memory.path, { settings, readOnly: true })
  const first = join(temporaryFolder(), 'copy.db')
  await copyTo(from, first)
  const [found = ''] = filesOf(first).placed
  const to = join(temporaryFolder(), 'copy.db')
  const there = found.replace(dirname(first), dirname(to))
  mkdirSync(dirname(there), { recursive: true })
  writeFileSync(there, readFileSync(found))
  const taking = copyTo(from, to, undefined, () => {
    if (!existsSync(to) && filesOf(to).waiting.length >= FILES - 20) writeFileSync(to, 'taken')
  })
  await expect(taking).rejects.toMatchObject({ code: 'invalid_argument' })
  expect(filesOf(to)).toEqual({ placed: [there], waiting: [] })
  expect(readFileSync(there)).toEqual(readFileSync(found))
})

it('leaves no large file in its place when a copy is killed, and the next copy is whole', async () => {
  using memory = memoryWithLargeTexts()
  const to = join(temporaryFolder(), 'copy.db')
  for (const waiting of [1, 25, FILES]) {
    const before = filesOf(to).waiting.length
    const child = spawn(process.execPath, [
      join(import.meta.dirname, 'children', 'copy-with-files.ts'),
      ...[memory.path, to, String(waiting)],
    ])
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    expect(filesOf(to).waiting.length - before).toBe(waiting)
    expect(existsSync(to)).toBe(false)
    expect(filesOf(to).placed).toEqual([])
  }
  for (const path of filesOf(to).waiting) utimesSync(path, 1000, 1000)
  const from = await openLcm(memory.path, { settings, readOnly: true })
  await copyTo(from, to)
  from.close()
  await expectWhole(to)
  expect(filesOf(to).waiting).toEqual([])
})

it('takes over what a copy left that was killed while its files got their places', async () => {
  using memory = memoryWithLargeTexts()
  const from = await openLcm(memory.path, { settings, readOnly: true })
  const to = join(temporaryFolder(), 'copy.db')
  const { store, files, estimator } = from.largeTextsOf(to)
  // The files get their places, and the copy never gets its name.
  const job = copyMemory({ from, to, largeTexts: { store, files, estimator } }, new AbortController().signal)
  store.removeAll = () => {}
  store.placeAll = ((place) => () => {
    place.call(store)
    throw new Error('killed')
  })(store.placeAll)
  const killed = async () => {
    while (!(await job.next()).done);
  }
  await expect(killed()).rejects.toThrow('killed')
  expect(filesOf(to).placed).toHaveLength(FILES)
  await copyTo(from, to)
  from.close()
  await expectWhole(to)
})
