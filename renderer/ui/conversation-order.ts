import type { ListedConversation } from '../../core/contract/memory.ts'
import { plainName } from './format.ts'

export const CONVERSATION_ORDERS = ['change', 'size', 'pressure'] as const
export type ConversationOrder = (typeof CONVERSATION_ORDERS)[number]

export const isOrder = (value: string): value is ConversationOrder =>
  CONVERSATION_ORDERS.some((order) => order === value)

/** Returns the name of a conversation: its title or its session, as one line. */
export function conversationName(row: Pick<ListedConversation, 'title' | 'sessionId' | 'conversationId'>): string {
  const name = (row.title ?? '').trim() || row.sessionId.trim()
  return plainName(name) || `conversation ${row.conversationId}`
}

/**
 * Returns the conversations that contain every typed word, in the chosen order. Internal ones, which the memory system
 * itself made, come last.
 */
export function arrangeConversations(
  rows: readonly ListedConversation[],
  filter: string,
  order: ConversationOrder,
): readonly ListedConversation[] {
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const matches = (row: ListedConversation) => {
    const text = `${row.title ?? ''} ${row.sessionId} ${row.conversationId}`.toLocaleLowerCase()
    return words.every((word) => text.includes(word))
  }
  return rows
    .filter(matches)
    .sort(
      (a, b) =>
        Number(isInternal(a)) - Number(isInternal(b)) ||
        rank(b, order) - rank(a, order) ||
        a.conversationId - b.conversationId,
    )
}

const isInternal = ({ internal }: ListedConversation): boolean => Boolean(internal)

function rank(row: ListedConversation, order: ConversationOrder): number {
  // Unknown values come after known ones.
  if (order === 'size') return row.storedTokens ?? -1
  if (order === 'pressure') return row.pressure ?? -1
  return row.updatedAtMs ?? row.createdAtMs ?? 0
}

/**
 * Returns the conversation to show when the address names none: the one that changed last among those that were
 * compacted, because there is more to see. Sub-agents and runs of the memory system itself are shown only when there is
 * nothing else.
 */
export function firstConversation(rows: readonly ListedConversation[]): number | null {
  const main = rows.filter((row) => row.parentConversationId === null && !isInternal(row))
  const choices = [main.filter((row) => row.summaries > 0), main, rows].find((choice) => choice.length > 0) ?? []
  return arrangeConversations(choices, '', 'change')[0]?.conversationId ?? null
}
