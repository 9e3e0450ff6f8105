import { existsSync } from 'node:fs'
import { CompactInput } from '#core/contract/compaction.ts'
import { BULK_BATCH, ConversationStore } from '#core/ingest/conversation-store.ts'
import type { NewMessage } from '#core/ingest/new-message.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import { historyStream } from '../builders/history.ts'
import { Draft, keptPath, withSchema } from './kept-files.ts'

/** Raise when the file would be made differently. */
const RECIPE = 2
/** One long conversation, the rest in short ones. */
const LONG_SHARE = 0.9
const SHORT_MESSAGES = 1000

export type LargeMemory = { readonly path: string; readonly messages: number; readonly longest: number }

/** A compacted native memory with so many messages; made once and kept in the folder for temporary files. */
export async function largeMemory(messages: number, say: (line: string) => void): Promise<LargeMemory> {
  const path = keptPath(`${withSchema(`${messages}-${RECIPE}`)}.db`)
  const longest = Math.floor(messages * LONG_SHARE)
  if (existsSync(path)) return { path, messages, longest }
  using draft = new Draft(path)
  say(`making ${path} (a few minutes, once)`)
  fill(draft.path, messages, longest)
  say('compacting it')
  await compactLongest(draft.path)
  draft.keep()
  return { path, messages, longest }
}

function fill(path: string, messages: number, longest: number): void {
  using db = openNative(path)
  const store = new ConversationStore(db, createTokenEstimator(), Date.now)
  ingest(store, 'long', { seed: 1, messages: longest })
  for (let from = longest, number = 0; from < messages; from += SHORT_MESSAGES, number += 1) {
    ingest(store, `short-${number}`, { seed: 100 + number, messages: Math.min(SHORT_MESSAGES, messages - from) })
  }
}

function ingest(store: ConversationStore, sessionId: string, spec: { seed: number; messages: number }): void {
  const conversationId = store.ensureConversation({ importer: 'bench', sessionId, title: `Session ${sessionId}` })
  let batch: NewMessage[] = []
  for (const message of historyStream({ ...spec, words: 29 })) {
    batch.push(message)
    if (batch.length < BULK_BATCH.messages) continue
    store.ingestBulk([{ conversationId, messages: batch }])
    batch = []
  }
  store.ingestBulk([{ conversationId, messages: batch }])
}

async function compactLongest(path: string): Promise<void> {
  using lcm = await openLcm(path)
  const input = CompactInput.parse({ conversationId: 1, mode: 'full' })
  for await (const _ of lcm.compactionEngine().compact(input, new AbortController().signal));
}
