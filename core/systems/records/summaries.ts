import type { SummaryKind } from '#core/contract/ids.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { shownValue } from '#core/sqlite/shown-values.ts'

const columns = `summary_rowid AS row, summary_id AS id, conversation_id AS conversationId,
      ${shownValue('summaries.kind', 'summaries')} AS kind, depth, token_count AS tokens, created_at AS createdAtMs,
      level, model`

const queries = {
  ofConversation: /* sql */ `
    SELECT ${columns}
    FROM summaries
    WHERE conversation_id = :conversationId
    ORDER BY depth DESC, created_at, summary_rowid`,
  all: /* sql */ `SELECT ${columns} FROM summaries`,
  byId: /* sql */ `
    SELECT ${columns}
    FROM summaries
    WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  byRow: /* sql */ `
    SELECT ${columns}
    FROM summaries
    WHERE summary_rowid IN (SELECT value FROM json_each(:rows))`,
  rowNumbers: /* sql */ `
    SELECT summary_rowid FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  // Statements of their own: some systems store neither, and their views look at all that a summary stands for.
  ranges: /* sql */ `
    SELECT summary_id AS id, earliest_at AS earliestAtMs, latest_at AS latestAtMs
    FROM summaries
    WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  textAndDescendants: /* sql */ `SELECT content, descendant_count FROM summaries WHERE summary_id = :id`,
  descendants: /* sql */ `
    SELECT summary_id, descendant_count FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  sources: /* sql */ `
    SELECT summary_id, message_id, NULL, ordinal FROM summary_messages
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
    UNION ALL
    SELECT summary_id, NULL, source_summary_id, ordinal FROM summary_sources
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
    ORDER BY 1, 4, 2, 3`,
  hashes: /* sql */ `SELECT summary_id, summary_hash FROM summaries`,
  lastRow: /* sql */ `SELECT coalesce(max(summary_rowid), 0) FROM summaries`,
  after: /* sql */ `
    SELECT summary_id FROM summaries
    WHERE summary_id IN (SELECT value FROM json_each(:ids)) AND summary_rowid > CAST(:row AS INTEGER)`,
}

/** A summary without its text, as stored. */
export type SummaryHead = {
  /** Its row number. */
  readonly row: number
  readonly id: string
  readonly conversationId: number
  readonly kind: SummaryKind
  readonly depth: number
  readonly tokens: number | null
  readonly createdAtMs: number | null
  readonly level: string | null
  readonly model: string | null
}

/** Some summaries, wherever they are; what is gone is left out. */
export const summaryHeads = (db: ReadDb, ids: readonly string[]): SummaryHead[] =>
  db.all<SummaryHead>(queries.byId, { ids: JSON.stringify(ids) })

/** The same by row numbers. */
export const summaryHeadsByRow = (db: ReadDb, rows: readonly number[]): SummaryHead[] =>
  rows.length === 0 ? [] : db.all<SummaryHead>(queries.byRow, { rows: JSON.stringify(rows) })

/** The summaries of a conversation, deepest first, then oldest first. */
export const summaryHeadsOf = (db: ReadDb, conversationId: number): SummaryHead[] =>
  db.all<SummaryHead>(queries.ofConversation, { conversationId })

/** Every summary of a memory, in no particular order. */
export const allSummaryHeads = (db: ReadDb): SummaryHead[] => db.all<SummaryHead>(queries.all)

/** Row numbers of some summaries; of a native file an index tells them, and no row is read. */
export const summaryRowNumbers = (db: ReadDb, ids: readonly string[]): number[] =>
  db.column<number>(queries.rowNumbers, { ids: JSON.stringify(ids) })

type TimeRange = { readonly id: string; readonly earliestAtMs: number | null; readonly latestAtMs: number | null }

/** The times of the first and last message that each summary stands for, by its id. */
export const summaryRanges = (db: ReadDb, ids: readonly string[]): ReadonlyMap<string, TimeRange> =>
  new Map(db.all<TimeRange>(queries.ranges, { ids: JSON.stringify(ids) }).map((range) => [range.id, range]))

/** How many summaries each summary reaches through its sources, as stored, by its id. */
export const descendantCounts = (db: ReadDb, ids: readonly string[]): ReadonlyMap<string, number | null> =>
  new Map(db.rows<[string, number | null]>(queries.descendants, { ids: JSON.stringify(ids) }))

/** Returns the text of a summary and its stored number of descendants. Both are null when there is no such summary. */
export const textAndDescendants = (
  db: ReadDb,
  id: string,
): readonly [content: string | null, descendants: number | null] =>
  db.rows<[string | null, number | null]>(queries.textAndDescendants, { id })[0] ?? [null, null]

/** A source of a summary, whether it is there or not: a message or another summary. */
type StoredSource = readonly [summaryId: string, messageId: number | null, sourceId: string | null, ordinal: number]

/** What summaries were made from, by summary, each in its order. */
export const summarySources = (db: ReadDb, ids: readonly string[]): StoredSource[] =>
  db.rows<StoredSource>(queries.sources, { ids: JSON.stringify(ids) })

/** The stored hashes of all summaries, as they are at this moment, with their ids. */
export const summaryHashes = (db: ReadDb): IterableIterator<[id: string, hash: string | null]> =>
  db.iterateRows(queries.hashes)

/** The row of the newest summary; 0 where there is none. */
export const lastSummaryRow = (db: ReadDb): number => db.value<number>(queries.lastRow) ?? 0

/** The summaries, of some, that were stored after a row. */
export const summariesAfterRow = (db: ReadDb, ids: readonly string[], row: number): ReadonlySet<string> =>
  new Set(db.column<string>(queries.after, { ids: JSON.stringify(ids), row }))
