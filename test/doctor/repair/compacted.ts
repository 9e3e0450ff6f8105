import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { generateHistory } from '#test/builders/history.ts'
import { buildMemory, TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { compact, NOW_MS } from '#test/compaction/run-compaction.ts'

export type CompactedSpec = { readonly seed: number; readonly messages?: number; readonly conversations?: number }

type Made = { readonly bytes: Buffer; readonly conversationIds: readonly number[] }

/** Compacting takes longer than most of what is done to the result: each is made once, and then copied. */
const made = new Map<string, Made>()

/** Sessions of an agent, compacted a few levels deep; sound in every respect. */
export async function compactedMemory({ seed, messages = 60, conversations = 2 }: CompactedSpec): Promise<TestMemory> {
  const key = [seed, messages, conversations].join()
  const { bytes, conversationIds } = made.get(key) ?? (await make({ seed, messages, conversations }))
  made.set(key, { bytes, conversationIds })
  const path = join(temporaryFolder(), 'lcm.db')
  writeFileSync(path, bytes)
  const memory = new TestMemory(path)
  memory.conversationIds.push(...conversationIds)
  return memory
}

async function make({ seed, messages, conversations }: Required<CompactedSpec>): Promise<Made> {
  const memory = buildMemory()
  const store = new ConversationStore(memory.db, createTokenEstimator(), () => NOW_MS)
  for (let index = 0; index < conversations; index += 1) {
    const id = store.ensureConversation({ importer: 'test', sessionId: `session-${seed}-${index}` })
    memory.conversationIds.push(id)
    store.append(id, [
      ...generateHistory({ seed: seed + index, messages: messages - index * 20, idPrefix: `c${index}-` }),
    ])
    const settings = {
      leafChunkTokens: 500,
      leafTargetTokens: 60,
      condensedTargetTokens: 80,
      condensedMinFanout: 3,
      freshTailCount: 6,
    }
    await compact(memory.db, { conversationId: id, mode: 'full' }, { settings, owner: `test ${id}` })
  }
  memory.db.close()
  const bytes = readFileSync(memory.path)
  memory.close()
  return { bytes, conversationIds: memory.conversationIds }
}
