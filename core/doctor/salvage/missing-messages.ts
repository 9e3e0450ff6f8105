import type { SalvagedTable } from '#core/contract/salvage.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'

const queries = {
  missingMessages: /* sql */ `
    WITH numbered AS (
      SELECT conversation_id AS conversation, seq, message_id AS id, lag(seq, 1, -1) OVER story AS before,
             lag(message_id, 1, 0) OVER story AS id_before
      FROM messages WINDOW story AS (PARTITION BY conversation_id ORDER BY seq)
    )
    SELECT conversation, before + 2 AS first, seq AS last, id_before + 1 AS lowest, id - 1 AS highest
    FROM numbered WHERE seq > before + 1 ORDER BY conversation, seq`,
  savedBetween: /* sql */ `SELECT count(*) FROM messages WHERE message_id BETWEEN :from AND :to`,
}

/** At most this many ranges of a table are named. */
export const MAX_LISTED = 100

/** Numbers of messages, both ends included. */
type Ids = { readonly from: number; readonly to: number }
/** Messages of a conversation that are missing between two others, and the range of ids that they can have had. */
type Gap = {
  readonly conversation: number
  readonly first: number
  readonly last: number
  readonly lowest: number
  readonly highest: number
}

/**
 * Adds the messages that are missing between others to the lost ranges. The messages of a conversation are numbered without
 * a gap, so that a gap shows them even when rows were found page by page. Messages after the last one of a conversation
 * leave no gap. A lost range of ids is left out when gaps name all of its messages.
 * @param to the salvaged file
 */
export function withMissingMessages(tables: readonly SalvagedTable[], to: WriteDb): SalvagedTable[] {
  const gaps = to.all<Gap>(queries.missingMessages)
  const name = (conversation: number, number: number): string => `conversation ${conversation} message ${number}`
  const missing = gaps.map(({ conversation, first, last }) => ({
    from: name(conversation, first),
    to: name(conversation, last),
  }))
  return tables.map((table) => {
    if (table.table !== 'messages') return table
    const others = table.lost.filter(isNotNamedBy(gaps, table.lost, to))
    const named = table.lost.length - others.length
    const lost = [...others, ...missing].slice(0, MAX_LISTED)
    return { ...table, lost, lostRanges: table.lostRanges - named + missing.length }
  })
}

/**
 * Returns a function that says of a lost range whether gaps do not name all of its messages. They do when as many messages
 * are missing in the gaps as the range has ids that were not saved.
 */
function isNotNamedBy(gaps: readonly Gap[], lost: SalvagedTable['lost'], to: WriteDb) {
  const missingIn = (from: number, end: number): number =>
    end < from ? 0 : end - from + 1 - (to.value<number>(queries.savedBetween, { from, to: end }) ?? 0)
  const shared = (ids: Ids, { lowest, highest }: Gap): number =>
    missingIn(Math.max(ids.from, lowest), Math.min(ids.to, highest))
  const known = lost.flatMap((range) => idsOf(range) ?? [])
  const exact = gaps.filter((gap) => known.reduce((sum, ids) => sum + shared(ids, gap), 0) === gap.last - gap.first + 1)
  return (range: SalvagedTable['lost'][number]): boolean => {
    const ids = idsOf(range)
    return ids === null || exact.reduce((sum, gap) => sum + shared(ids, gap), 0) !== missingIn(ids.from, ids.to)
  }
}

/** Returns the ids of a range, or null when it is not given by ids of messages. */
function idsOf(range: SalvagedTable['lost'][number]): Ids | null {
  const [from, to] = [messageNumber(range.from), messageNumber(range.to)]
  return from === null || to === null ? null : { from, to }
}
