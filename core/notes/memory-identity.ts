import { sha256 } from '../hashing.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { firstConversation } from '../systems/records/conversations.ts'

/**
 * Names a memory by the session and the time with which it began, so that a file that was moved, copied, or pulled again
 * is the same memory. A file whose system records neither is named by its path.
 */
export function memoryIdentity(db: ReadDb, path: string): string {
  const { sessionId, createdAtMs } = firstConversation(db) ?? {}
  const isKnown = typeof sessionId === 'string' && sessionId !== '' && Number(createdAtMs) > 0
  const named = isKnown ? ['session', sessionId, Number(createdAtMs)] : ['path', path]
  return sha256(JSON.stringify(named)).slice(0, 32)
}
