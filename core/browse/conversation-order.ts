// Why it is so: docs/decisions/0028-pages-of-conversations.md

import type { ConversationRow, ConversationSort } from '../contract/memory.ts'

type Row = Pick<ConversationRow, 'conversationId' | 'internal' | 'updatedAtMs' | 'createdAtMs'>
type OpeningRow = Row & Pick<ConversationRow, 'summaries' | 'parentConversationId'>

/** The sort key of a conversation: by ascending group, then by descending rank, then by descending id. */
export type ConversationSortKey = readonly [group: number, rank: number, conversationId: number]

export const compareSortKeys = (a: ConversationSortKey, b: ConversationSortKey): number =>
  a[0] - b[0] || b[1] - a[1] || b[2] - a[2]

/**
 * @param size what the order is by, unless that is the last change. What is not known comes after what is.
 * @param reversed whether the least comes first; internal conversations are last all the same
 */
export function sortKeyOf(
  row: OpeningRow,
  sort: ConversationSort,
  size: number | null,
  reversed = false,
): ConversationSortKey {
  if (reversed) {
    const [group, rank, id] = sortKeyOf(row, sort, size)
    return [group, rank < 0 ? rank - Number.MAX_SAFE_INTEGER : -rank, id]
  }
  const isByChange = sort === 'change' || sort === 'opening'
  const rank = isByChange ? (row.updatedAtMs ?? row.createdAtMs ?? 0) : (size ?? -1)
  const group = sort === 'opening' ? openingGroup(row) : Number(Boolean(row.internal))
  // A damaged file may store a time that is no number.
  return [group, Number.isFinite(rank) ? rank : -1, row.conversationId]
}

/**
 * A window opens with a conversation that was compacted, because there is more to see. Sub-agents and runs of the memory
 * system itself are shown only when there is nothing else.
 */
function openingGroup({ summaries, parentConversationId, internal }: OpeningRow): number {
  if (internal) return 3
  if (parentConversationId !== null) return 2
  return summaries > 0 ? 0 : 1
}

/**
 * Orders conversations by their last change, for those who name none. Conversations that a system has with itself come
 * after those of its user.
 */
export const newestFirst = (a: Row, b: Row): number => compareSortKeys(changeKeyOf(a), changeKeyOf(b))

const changeKeyOf = (row: Row): ConversationSortKey =>
  sortKeyOf({ ...row, summaries: 0, parentConversationId: null }, 'change', null)
