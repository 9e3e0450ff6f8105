import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { CompactInput } from '#core/contract/compaction.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { generateHistory } from '../builders/history.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

export type CompactionMeasure = {
  readonly messages: number
  readonly summaries: number
  readonly seconds: number
  readonly messagesPerSecond: number
  readonly reduction: number
  readonly longestStepMs: number
}

/** Compacts a conversation as far as it goes, with the built-in summariser. */
export async function measureCompaction(messages: number): Promise<CompactionMeasure> {
  const folder = temporaryFolder()
  const path = join(folder, 'lcm.db')
  const lcm = await openLcm(path, { create: true })
  const store = new ConversationStore(lcm.requireWrite('ingest'), createTokenEstimator(), Date.now)
  const conversationId = store.ensureConversation({ importer: 'bench', sessionId: 'compaction' })
  store.ingestBulk([{ conversationId, messages: generateHistory({ seed: 9, messages }) }])
  const run = lcm.compactionEngine().compact(CompactInput.parse({ conversationId }), new AbortController().signal)
  let longestStepMs = 0
  let lastMs = performance.now()
  let step = await run.next()
  while (!step.done) {
    longestStepMs = Math.max(longestStepMs, performance.now() - lastMs)
    lastMs = performance.now()
    step = await run.next()
  }
  const { created, durationMs, reduction } = step.value
  lcm.close()
  rmSync(folder, { recursive: true, force: true })
  const seconds = durationMs / 1000
  return {
    messages,
    summaries: created.length,
    seconds,
    messagesPerSecond: messages / seconds,
    reduction,
    longestStepMs,
  }
}
