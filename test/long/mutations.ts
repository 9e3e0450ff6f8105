import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GrepInput } from '#core/contract/retrieval.ts'
import { LcmError } from '#core/errors.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { despiteWrongValues } from '#core/systems/opening/wrong-values.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory } from '../builders/memory.ts'
import { Random } from '../builders/random.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { tellStory } from '../builders/systems/story.ts'
import { writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { plainWords, transcriptSamples } from '../builders/transcript-samples.ts'
import type { AskedCases, CaseLine } from './cases.ts'
import { mutate } from './mutate.ts'

type Original = {
  readonly name: string
  readonly fileName: string
  readonly bytes: Buffer
  readonly kind: 'database' | 'transcript'
}

const settings = readSettings({})
/** An answer takes less than this. */
const SLOW_MS = 20_000

/**
 * Opens mutated files of every system, and imports mutated transcripts of every format. Each gives an answer or a typed
 * error in time, and stays as it is.
 */
export async function* mutations({ seed, from, to }: AskedCases): AsyncGenerator<CaseLine> {
  const all = originals(seed)
  const folder = temporaryFolder()
  for (let number = from; number < to; number += 1) {
    const random = new Random(seed * 1_000_003 + number)
    const original = all[number % all.length]
    if (original === undefined) break
    const { bytes, how } = mutate(original.bytes, original.kind, random)
    const name = `case ${number} of seed ${seed} (${original.name}: ${how})`
    yield { begins: name }
    yield { name, faults: await faultsOf(original, bytes, folder) }
  }
}

function originals(seed: number): Original[] {
  const databases = [nativeWriter, ...WRITERS].map((writer): Original => {
    const path = join(temporaryFolder(), 'lcm.db')
    writeStory(writer, path, writer.tell(tellStory({ seed, turns: 8 })))
    return { name: writer.name, fileName: 'lcm.db', bytes: readFileSync(path), kind: 'database' }
  })
  const transcripts = transcriptSamples.map(
    ({ name, fileName, write }): Original => ({
      name: `a transcript of ${name}`,
      fileName,
      bytes: Buffer.from(write(plainWords)),
      kind: 'transcript',
    }),
  )
  return [...databases, ...transcripts]
}

/** Says what is wrong with what the program makes of a file. */
async function faultsOf(original: Original, bytes: Buffer, folder: string): Promise<string[]> {
  const path = join(folder, 'case', original.fileName)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  const beganMs = performance.now()
  const faults = original.kind === 'database' ? await openFaults(path, join(folder, 'cache')) : await importFaults(path)
  const tookMs = performance.now() - beganMs
  if (tookMs > SLOW_MS) faults.push(`it took ${Math.round(tookMs)} ms`)
  if (!readFileSync(path).equals(bytes)) faults.push('the file was changed')
  const names = readdirSync(dirname(path))
  if (names.length > 1) faults.push(`files were made beside it: ${names.join(', ')}`)
  rmSync(join(folder, 'case'), { recursive: true, force: true })
  return faults
}

async function openFaults(path: string, cacheDir: string): Promise<string[]> {
  const faults: string[] = []
  const open = (): Promise<Lcm> => openLcm(path, { readOnly: true, cacheDir, settings })
  let lcm = await typed(faults, 'opening', open)
  if (lcm === undefined) return faults
  for (const [name, question] of Object.entries(QUESTIONS)) {
    let attempts = 0
    // Every door asks so: a file with values that its tables forbid is opened once more, through views that show the rest.
    const answer = despiteWrongValues(path, async () => {
      attempts += 1
      if (attempts > 1) {
        lcm?.close()
        lcm = await open()
      }
      return lcm === undefined ? undefined : await question(lcm)
    })
    await typed(faults, name, () => answer)
  }
  await typed(faults, 'closing', () => lcm?.close())
  return faults
}

const first = (lcm: Lcm): number => lcm.stats.conversations()[0]?.conversationId ?? 1

const QUESTIONS: Readonly<Record<string, (lcm: Lcm) => unknown>> = {
  statistics: (lcm) => lcm.stats.stats(),
  conversations: (lcm) => lcm.stats.conversations(),
  overview: (lcm) => lcm.stats.overview(first(lcm)),
  transcript: (lcm) => lcm.transcript.page({ conversationId: first(lcm), offset: 0, limit: 50, contentChars: 200 }),
  lineage: (lcm) => lcm.dag.tree(first(lcm)),
  window: (lcm) => lcm.context.assemble({ conversationId: first(lcm) }),
  search: (lcm) => lcm.retrieval.grep(GrepInput.parse({ query: 'the' })),
  'search for a part': (lcm) => lcm.retrieval.grep(GrepInput.parse({ query: 'e', mode: 'literal', limit: 5 })),
  checks: (lcm) => checkMemory(lcm),
}

async function importFaults(path: string): Promise<string[]> {
  const faults: string[] = []
  using memory = buildMemory()
  await typed(faults, 'importing', () => runImport(memory.db, [path]))
  const once = memory.db.value<number>('SELECT count(*) FROM messages')
  await typed(faults, 'importing again', () => runImport(memory.db, [path]))
  const twice = memory.db.value<number>('SELECT count(*) FROM messages')
  if (once !== twice) faults.push(`${once} messages became ${twice} when it was imported again`)
  return faults
}

async function typed<T>(faults: string[], what: string, body: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await body()
  } catch (error) {
    if (error instanceof LcmError && error.code !== 'internal') return undefined
    faults.push(`${what}: ${error instanceof Error ? (error.stack ?? '').split('\n', 4).join(' ') : String(error)}`)
    return undefined
  }
}
