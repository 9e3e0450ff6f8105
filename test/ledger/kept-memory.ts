import { dirname, join } from 'node:path'
import { CompactInput } from '#core/contract/compaction.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import type { Lcm } from '#core/lcm.ts'
import { LedgerWriter } from '#core/ledger/ledger-writer.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import { runToEnd } from '#core/yielding.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { openHere, permissionOf } from '../builders/ledgers.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** A memory that keeps a ledger, as its user has asked for. */
export async function keptMemory(): Promise<{ path: string; ledger: string }> {
  const path = join(temporaryFolder(), 'lcm.db')
  const ledger = join(dirname(path), 'lcm.events.jsonl')
  const db = openNative(path)
  new LedgerWriter(db, Date.now, permissionOf(path)).enable(ledger)
  db.close()
  const lcm = await openHere(path)
  say(lcm, 'first', ['Said first.'])
  lcm.close()
  return { path, ledger }
}

export function say(lcm: Lcm, session: string, texts: readonly string[]): number {
  const store = new ConversationStore(lcm.requireWrite('write'), createTokenEstimator(), Date.now)
  const conversationId = store.ensureConversation({ importer: 'test', sessionId: session })
  store.append(
    conversationId,
    texts.map((content, index) => ({
      externalId: null,
      role: index % 3 === 2 ? 'tool' : index % 2 === 0 ? 'user' : 'assistant',
      content,
      createdAtMs: 1_770_000_000_000 + index,
      parts: [{ type: 'text', text: null, isContent: true }],
    })),
  )
  return conversationId
}

/** Texts that are worth compacting. */
export const longTexts = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `Message ${index} about the lease. `.repeat(20))

export async function compact(lcm: Lcm, conversationId: number): Promise<number> {
  const input = CompactInput.parse({ conversationId, mode: 'full' })
  const { created } = await runToEnd(lcm.compactionEngine().compact(input, new AbortController().signal))
  return created.length
}

/** Checks of ledgers that find something. */
export async function ledgerFindings(lcm: Lcm): Promise<string[]> {
  const report = await checkMemory(lcm)
  return report.checks.filter((check) => check.group === 'ledger' && check.count > 0).map((check) => check.id)
}
