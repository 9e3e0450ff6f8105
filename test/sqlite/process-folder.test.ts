import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeProcessFolder, makeTemporaryFolder } from '#core/sqlite/process-folder.ts'
import { processKey } from '#core/sqlite/process-mark.ts'
import { runs } from '../builders/property-runs.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const core = join(import.meta.dirname, '../../core')
const children: ChildProcess[] = []
let shared = ''

beforeEach(() => {
  shared = temporaryFolder()
  vi.stubEnv('TMPDIR', shared)
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  vi.unstubAllEnvs()
})

/** Starts a program that makes a folder, writes into it, and does not end. */
async function another(purpose: string): Promise<{ folder: string; kill: () => Promise<void> }> {
  const code = `
    import { writeFileSync } from 'node:fs'
    import { makeTemporaryFolder } from '${core}/sqlite/process-folder.ts'
    const folder = makeTemporaryFolder('${purpose}')
    writeFileSync(folder + '/copy.db', 'of a conversation')
    process.stdout.write(folder)
    setInterval(() => {}, 1000)`
  const env = { ...process.env, TMPDIR: shared }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    ...{ env, cwd: core, stdio: ['ignore', 'pipe', 'inherit'] },
  })
  children.push(child)
  const folder = await new Promise<string>((resolve) => child.stdout?.once('data', (data) => resolve(String(data))))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const kill = (): Promise<void> => {
    child.kill('SIGKILL')
    return ended
  }
  return { folder, kill }
}

it('removes what a killed process left, whatever it was for, and nothing of one that runs', async () => {
  const [killed, running] = await Promise.all([another('worker'), another('check')])
  const own = makeTemporaryFolder('copy')
  await killed.kill()
  const next = makeTemporaryFolder('trial')
  expect(readdirSync(shared).toSorted()).toEqual([own, next, running.folder].map((path) => basename(path)).toSorted())
  expect(existsSync(join(running.folder, 'copy.db'))).toBe(true)
})

it('removes what a process left whose number another one has by now', () => {
  const reused = join(shared, `lcm-worker-${processKey().replace(/[0-9a-f]{8}$/, '12345678')}-abcdef`)
  mkdirSync(reused)
  makeTemporaryFolder('worker')
  expect(existsSync(reused)).toBe(false)
})

it('leaves what is not certainly of an ended process on this computer', () => {
  const [, machine = '', start = ''] = processKey().split('-')
  const other = machine.replace(/./g, (digit) => (digit === '0' ? '1' : '0'))
  const name = fc.oneof(
    fc.constantFrom('', 'abcdef', '999999999-abcdef', 'run-1-abcdef', processKey(), `${processKey()}-abcdef`),
    fc.integer({ min: 1 }).map((pid) => `worker-${pid}-${other}-${start}-abcdef`),
    fc.string({ unit: fc.constantFrom(...'lcm-019af ') }),
  )
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
      for (const one of names) mkdirSync(join(shared, `lcm-${one}`), { recursive: true })
      const before = readdirSync(shared)
      const made = makeTemporaryFolder('worker')
      expect(readdirSync(shared).toSorted()).toEqual([...before, basename(made)].toSorted())
    }),
    { numRuns: runs(50) },
  )
})

it('removes no file and no link, and nothing that a link leads to', () => {
  const gone = (letter: string): string =>
    join(shared, `lcm-worker-${processKey().replace(/^\d+/, '999999999')}-abcde${letter}`)
  const precious = join(temporaryFolder(), 'precious')
  writeFileSync(precious, 'x')
  writeFileSync(gone('a'), 'x')
  symlinkSync(dirname(precious), gone('b'))
  makeTemporaryFolder('worker')
  expect([precious, gone('a'), gone('b')].map((path) => existsSync(path))).toEqual([true, true, true])
})

it('removes in a folder of this program what has the same beginning, and nothing else', () => {
  const gone = processKey().replace(/^\d+/, '999999999')
  for (const name of [`look-${gone}-abcdef`, `service-${gone}-abcdef`]) mkdirSync(join(shared, name))
  const made = makeProcessFolder(shared, 'look-')
  expect(readdirSync(shared).toSorted()).toEqual([basename(made), `service-${gone}-abcdef`].toSorted())
})
