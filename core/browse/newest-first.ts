import type { ConversationRow } from '../contract/memory.ts'

type Row = Pick<ConversationRow, 'conversationId' | 'internal' | 'updatedAtMs' | 'createdAtMs'>

/**
 * Orders conversations by their last change, for those who name none. Conversations that a system has with itself come
 * after those of its user.
 */
export const newestFirst = (a: Row, b: Row): number =>
  Number(Boolean(a.internal)) - Number(Boolean(b.internal)) ||
  (b.updatedAtMs ?? b.createdAtMs ?? 0) - (a.updatedAtMs ?? a.createdAtMs ?? 0) ||
  b.conversationId - a.conversationId
