import { nextKey } from '#core/sqlite/keyset.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'

/**
 * TEMP tables for systems whose own tables lack our keys: they have no numbers of conversations or messages, no order,
 * or no index of links. The tables hold what is small. Texts stay in the file and are fetched by row. `deriving` of a
 * system fills the tables, and the views of `derivedViews` read one table each, so that SQLite can use an index in every
 * join. Indexes stand before their tables are filled: an index over rows that are there already is a little quicker, but
 * making it cannot be interrupted.
 */
const TABLES = /* sql */ `
CREATE TEMP TABLE IF NOT EXISTS derived_conversations (
  conversation_id INTEGER PRIMARY KEY,
  -- The name by which the system itself tells its conversations apart.
  key             TEXT NOT NULL UNIQUE,
  session_id      TEXT NOT NULL,
  logical_key     TEXT,
  source_uri      TEXT,
  created_at      INTEGER,
  updated_at      INTEGER,
  -- Says what it is when it is nobody's conversation.
  note            TEXT
);
CREATE TEMP TABLE IF NOT EXISTS derived_messages (
  message_id      INTEGER PRIMARY KEY,
  conversation_id INTEGER NOT NULL,
  seq             INTEGER NOT NULL,
  role            TEXT NOT NULL,
  token_count     INTEGER NOT NULL,
  created_at      INTEGER,
  external_id     TEXT,
  -- Always NULL. Where all messages are in the window, the window is a view of this table, and none of its entries names a
  -- summary. The index, which is always empty, says so without looking at every message.
  summary_id      TEXT
);
CREATE INDEX IF NOT EXISTS temp.derived_messages_history
  ON derived_messages (conversation_id, seq, role, token_count, created_at);
CREATE INDEX IF NOT EXISTS temp.derived_messages_summary
  ON derived_messages (summary_id) WHERE summary_id IS NOT NULL;
CREATE TEMP TABLE IF NOT EXISTS derived_summaries (
  summary_rowid   INTEGER PRIMARY KEY,
  summary_id      TEXT NOT NULL UNIQUE,
  conversation_id INTEGER,
  kind            TEXT NOT NULL,
  depth           INTEGER NOT NULL,
  token_count     INTEGER NOT NULL,
  created_at      INTEGER,
  level           TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS temp.derived_summaries_history ON derived_summaries (conversation_id, depth, created_at);
CREATE TEMP TABLE IF NOT EXISTS derived_summary_messages (
  summary_id TEXT NOT NULL,
  message_id INTEGER NOT NULL,
  ordinal    INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS temp.derived_summary_messages_summary
  ON derived_summary_messages (summary_id, ordinal, message_id);
-- The id of the summary may be as long as a hash, and stands in the table. So it is left out here.
CREATE INDEX IF NOT EXISTS temp.derived_summary_messages_message ON derived_summary_messages (message_id);
CREATE TEMP TABLE IF NOT EXISTS derived_summary_sources (
  summary_id        TEXT NOT NULL,
  source_summary_id TEXT NOT NULL,
  ordinal           INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS temp.derived_summary_sources_summary
  ON derived_summary_sources (summary_id, ordinal, source_summary_id);
CREATE INDEX IF NOT EXISTS temp.derived_summary_sources_source ON derived_summary_sources (source_summary_id, summary_id);
CREATE TEMP TABLE IF NOT EXISTS derived_context_items (
  conversation_id INTEGER NOT NULL,
  ordinal         INTEGER NOT NULL,
  item_type       TEXT NOT NULL,
  message_id      INTEGER,
  summary_id      TEXT
);
CREATE INDEX IF NOT EXISTS temp.derived_context_items_order ON derived_context_items (conversation_id, ordinal);
CREATE INDEX IF NOT EXISTS temp.derived_context_items_message
  ON derived_context_items (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS temp.derived_context_items_summary
  ON derived_context_items (summary_id) WHERE summary_id IS NOT NULL;
`

/**
 * Numbers from here on stand for what the file names but does not hold, or holds without its conversation. They are
 * high, so that other numbers stay the same when it is added later.
 */
export const STAND_IN = 1_000_000_000

const queries = {
  /** Summaries and windows are few and change in place, so they are cleared and filled again. */
  clear: {
    lineage: /* sql */ `
      DELETE FROM temp.derived_summaries;
      DELETE FROM temp.derived_summary_messages;
      DELETE FROM temp.derived_summary_sources;`,
    window: /* sql */ `DELETE FROM temp.derived_context_items`,
  },
  forget: /* sql */ `
    DELETE FROM temp.derived_messages;
    DELETE FROM temp.derived_conversations;`,
  known: /* sql */ `SELECT count(*) AS count, max(message_id) AS last FROM temp.derived_messages`,
}

/** Makes the tables that are not there yet. */
export function haveDerivedTables(db: PreparableDb): void {
  db.exec(TABLES)
}

/** Empties tables that are to be filled again. */
export function clearDerived(db: PreparableDb, what: keyof typeof queries.clear): void {
  db.exec(queries.clear[what])
}

/** Rows between two yields. To read each from a table and write it into another takes some milliseconds. */
const ROWS_AT_ONCE = 2000

/** What an error calls the numbers. */
const KEYS = 'the numbers of rows'

type Range = { readonly last: number; readonly end: number }

/**
 * Fills a table from another, one range of numbers at a time. A range becomes longer where it holds few rows, so most rows
 * of a range have to be filled in: otherwise `inPieces` is right. Rows with numbers beyond 2⁵³ are left out, because no
 * answer could name them.
 * @param next returns the first number after the given one
 * @param fill fills in the numbers after `last` and up to `end`, and returns how many rows it wrote
 * @throws LcmError file_corrupt where the numbers do not ascend
 */
export function* inRanges(
  db: Pick<PreparableDb, 'path'>,
  next: (last: number) => number | null | undefined,
  after: number,
  fill: (range: Range) => number,
): Generator<void> {
  let length = ROWS_AT_ONCE
  for (let last = after; ; ) {
    const first = next(last)
    // Texts come after all numbers.
    if (typeof first !== 'number' || first > Number.MAX_SAFE_INTEGER) return
    const end = Math.min(nextKey(db, KEYS, last, first) + length - 1, Number.MAX_SAFE_INTEGER)
    length = fill({ last, end }) < ROWS_AT_ONCE / 4 ? length * 2 : ROWS_AT_ONCE
    last = end
    yield
  }
}

/**
 * Works through the rows of a table in pieces, each of the rows after `last` and up to `end`. Rows with numbers beyond 2⁵³
 * are left out, because no answer could name them.
 * @param endAfter returns the number of the last row of the piece that begins after a number
 * @throws LcmError file_corrupt where the numbers do not ascend
 */
export function* inPieces(
  db: Pick<PreparableDb, 'path'>,
  endAfter: (last: number) => number | null | undefined,
  after: number,
  work: (piece: Range) => void,
): Generator<void> {
  for (let last = after; ; ) {
    const end = endAfter(last)
    if (typeof end !== 'number' || last === Number.MAX_SAFE_INTEGER) return
    const range = { last, end: Math.min(nextKey(db, KEYS, last, end), Number.MAX_SAFE_INTEGER) }
    work(range)
    last = range.end
    yield
  }
}

/** Empties messages and conversations, which are to be filled again. */
export function forgetDerivedMessages(db: PreparableDb): void {
  db.exec(queries.forget)
}

/** A number below that of every message. */
export const BEFORE_ALL = Number.MIN_SAFE_INTEGER

/**
 * Returns the number of the last message that was derived and still stands in the file. Only later ones have to be read.
 * These systems only add messages. If some are gone all the same, everything is forgotten and read again.
 * @param isUnchanged tells whether the file still has `count` messages up to number `last`, and the same last one
 */
export function lastDerivedMessage(db: PreparableDb, isUnchanged: (count: number, last: number) => boolean): number {
  const known = db.get<{ count: number; last: number | null }>(queries.known)
  if (known && known.last !== null && isUnchanged(known.count, known.last)) return known.last
  forgetDerivedMessages(db)
  return BEFORE_ALL
}
