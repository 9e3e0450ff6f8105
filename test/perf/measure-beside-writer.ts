import { spawn } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { openLcm } from '#core/lcm.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { clawMemory } from './claw-memory.ts'
import { repeat, type Timing } from './statistics.ts'

/** Of the agent: how many messages it wrote a second, what each took in milliseconds, and how often it was refused. */
type WriterFigures = {
  readonly perSecond: number
  readonly refusals: number
  readonly p50: number
  readonly p95: number
  readonly max: number
}

/** What a window reads of a file of lossless-claw while its agent writes 200 messages a second into it. */
export type BesideWriterMeasure = {
  readonly list: Timing
  readonly newestPage: Timing
  readonly strata: Timing
  readonly writer: WriterFigures
  /** Measured without a reader. */
  readonly writerAlone: WriterFigures
}

const PER_SECOND = 200
const ROUNDS = 40
const PAUSE_MS = 100
const CONVERSATION = 1

/** @param size of the file, in megabytes */
export async function measureBesideWriter(size: number): Promise<BesideWriterMeasure> {
  const folder = temporaryFolder()
  const path = join(folder, 'lcm.db')
  copyFileSync(clawMemory(size), path)
  const [, writerAlone] = await besideAgent(path, () => wait(ROUNDS * PAUSE_MS))
  // Opened while its agent writes, as a window opens it.
  const [read, writer] = await besideAgent(path, async () => {
    const lcm = await openLcm(path, { readOnly: true, cacheDir: join(folder, 'cache') })
    await lcm.reader.prepare(CONVERSATION)
    const newest = { conversationId: CONVERSATION, limit: 60, contentChars: 20_000 }
    const list = await repeat(ROUNDS, () => lcm.stats.listed(), PAUSE_MS)
    const newestPage = await repeat(
      ROUNDS,
      () => lcm.transcript.page({ ...newest, offset: Math.max(0, lcm.reader.order(CONVERSATION).length - 60) }),
      PAUSE_MS,
    )
    const strata = await repeat(
      ROUNDS,
      async () => {
        await lcm.reader.prepare(CONVERSATION)
        return lcm.strata.get({ conversationId: CONVERSATION, axis: 'messages' })
      },
      PAUSE_MS,
    )
    lcm.close()
    return { list, newestPage, strata }
  })
  rmSync(folder, { recursive: true, force: true })
  return { ...read, writer, writerAlone }
}

/** Does something while an agent writes, in a process of its own. */
async function besideAgent<T>(path: string, body: () => Promise<T>): Promise<[T, WriterFigures]> {
  const program = join(import.meta.dirname, 'writing-agent.ts')
  const agent = spawn(process.execPath, [program, path, String(PER_SECOND)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: agent.stdout })[Symbol.asyncIterator]()
  await lines.next()
  const made = await body()
  agent.stdin.end()
  return [made, JSON.parse((await lines.next()).value as string) as WriterFigures]
}

if (import.meta.main) console.log(JSON.stringify(await measureBesideWriter(Number(process.argv[2] ?? 100)), null, 2))
