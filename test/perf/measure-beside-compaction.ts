import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import installBuild, { cliPath } from '../builders/built-program.ts'
import { historyStream } from '../builders/history.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** Milliseconds of the writes of a host, one message each. */
type WriteFigures = {
  readonly writes: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** How long a host waits for its writes: alone, and while a window reads the file and its conversation is compacted. */
export type BesideCompactionMeasure = { readonly alone: WriteFigures; readonly beside: WriteFigures }

const MESSAGES = 20_000
const BATCH = 500
const ALONE_MS = 5_000
const LEAST_MS = 10_000
const LOOK_MS = 250

/** @param messages that the conversation has before it is compacted */
export async function measureBesideCompaction(messages = MESSAGES): Promise<BesideCompactionMeasure> {
  const path = join(temporaryFolder(), 'lcm.db')
  const conversationId = filled(path, messages)
  const [, alone] = await besideHost(path, conversationId, () => wait(ALONE_MS))
  const [, beside] = await besideHost(path, conversationId, async () => {
    const until = Date.now() + LEAST_MS
    let isCompacting = true
    const compaction = spawn(process.execPath, [
      cliPath,
      'compact',
      '--db',
      path,
      '--conversation',
      String(conversationId),
    ])
    compaction.on('close', () => {
      isCompacting = false
    })
    using lcm = await openLcm(path, { readOnly: true, cacheDir: temporaryFolder() })
    while (isCompacting || Date.now() < until) {
      lcm.stats.listed()
      await lcm.reader.prepareMemory(conversationId)
      lcm.transcript.page({ conversationId, limit: 60, contentChars: 20_000, offset: 0 })
      lcm.strata.get({ conversationId, axis: 'messages' })
      await wait(LOOK_MS)
    }
  })
  return { alone, beside }
}

function filled(path: string, messages: number): number {
  const db = openNative(path)
  const store = new ConversationStore(db, createTokenEstimator(), Date.now)
  const conversationId = store.ensureConversation({ sessionId: 'one', importer: 'bench', createdAtMs: Date.now() })
  let batch = []
  for (const message of historyStream({ seed: 4, messages, words: 40 })) {
    if (batch.push(message) < BATCH) continue
    store.append(conversationId, batch)
    batch = []
  }
  if (batch.length > 0) store.append(conversationId, batch)
  db.close()
  return conversationId
}

/** Does something while a host writes, in a process of its own. */
async function besideHost<T>(path: string, conversationId: number, body: () => Promise<T>): Promise<[T, WriteFigures]> {
  const program = join(import.meta.dirname, 'writing-host.ts')
  const host = spawn(process.execPath, [program, path, String(conversationId)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]()
  await lines.next()
  const made = await body()
  host.stdin.end()
  return [made, JSON.parse((await lines.next()).value as string) as WriteFigures]
}

if (import.meta.main) {
  await installBuild()
  console.log(JSON.stringify(await measureBesideCompaction(Number(process.argv[2] ?? MESSAGES)), null, 2))
}
