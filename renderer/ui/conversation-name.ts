import type { ListedConversation } from '../../core/contract/memory.ts'
import { plainName } from './format.ts'

/** Returns the name of a conversation: its title or its session, as one line. */
export function conversationName(row: Pick<ListedConversation, 'title' | 'sessionId' | 'conversationId'>): string {
  const name = (row.title ?? '').trim() || row.sessionId.trim()
  return plainName(name) || `conversation ${row.conversationId}`
}
