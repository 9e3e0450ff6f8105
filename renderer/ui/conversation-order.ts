import type { ConversationRow } from '../../core/contract/memory.ts'

export const CONVERSATION_ORDERS = ['change', 'size', 'pressure'] as const
export type ConversationOrder = (typeof CONVERSATION_ORDERS)[number]

export const isOrder = (value: string): value is ConversationOrder =>
  CONVERSATION_ORDERS.some((order) => order === value)

/** What a conversation is called: its title, else its session. One line, whatever is in it. */
export function conversationName(row: Pick<ConversationRow, 'title' | 'sessionId' | 'conversationId'>): string {
  const name = (row.title ?? '').trim() || row.sessionId.trim()
  return name.replace(/\s+/g, ' ') || `conversation ${row.conversationId}`
}

/** The conversations in which every typed word occurs, in the wanted order. */
export function arrangeConversations(
  rows: readonly ConversationRow[],
  filter: string,
  order: ConversationOrder,
): readonly ConversationRow[] {
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const matches = (row: ConversationRow) => {
    const text = `${row.title ?? ''} ${row.sessionId} ${row.conversationId}`.toLocaleLowerCase()
    return words.every((word) => text.includes(word))
  }
  return rows.filter(matches).sort((a, b) => rank(b, order) - rank(a, order) || a.conversationId - b.conversationId)
}

function rank(row: ConversationRow, order: ConversationOrder): number {
  if (order === 'size') return row.storedTokens
  if (order === 'pressure') return row.pressure
  return row.updatedAtMs ?? row.createdAtMs ?? 0
}

/**
 * Which conversation to show when the address names none: the one that changed last among those that were compacted,
 * since there is more to see; sub-agents only where there is nothing else.
 */
export function firstConversation(rows: readonly ConversationRow[]): number | null {
  const main = rows.filter((row) => row.parentConversationId === null)
  const choices = [main.filter((row) => row.summaries > 0), main, rows].find((choice) => choice.length > 0) ?? []
  return arrangeConversations(choices, '', 'change')[0]?.conversationId ?? null
}
