import type { SqlParams } from '../sqlite/read-db.ts'

/**
 * The entries of a window that is not the stored one, in order: message numbers and summary ids. Both may lead nowhere.
 */
export type Placements = readonly (number | string)[]

/** Whose entries: the stored ones of a conversation, or those that were placed instead. */
export type Entries = { readonly conversationId: number; readonly placed?: Placements | undefined }

/** Columns as in `context_items`; `:placed` is a JSON array of `Placements`. */
const PLACED = `(
      SELECT CAST(:conversationId AS INTEGER) AS conversation_id, key AS ordinal,
        iif(type = 'text', 'summary', 'message') AS item_type, iif(type = 'text', NULL, value) AS message_id,
        iif(type = 'text', value, NULL) AS summary_id, NULL AS created_at
      FROM json_each(:placed))`

/** Writes queries once for entries of both kinds; `table` goes after `FROM`. */
export function forEntries<Q>(write: (table: string) => Q): (entries: Entries) => Q {
  const [stored, placed] = [write('context_items'), write(PLACED)]
  return (entries) => (entries.placed ? placed : stored)
}

/** Parameters of such queries. */
export const entryParams = ({ conversationId, placed }: Entries): SqlParams =>
  placed ? { conversationId, placed: JSON.stringify(placed) } : { conversationId }
