import type { PreparableDb } from '../sqlite/uri-db.ts'

/**
 * TEMP tables for systems whose own tables lack our keys: no numbers of conversations or messages, no order, links
 * without an index. They hold what is small; texts stay in the file and are fetched by row. Filled by a system's
 * `deriving`, read by the views of `derivedViews`, which look into one table each, so that SQLite can use an index in
 * every join.
 */
const TABLES = /* sql */ `
CREATE TEMP TABLE IF NOT EXISTS derived_conversations (
  conversation_id INTEGER PRIMARY KEY,
  -- By which the system itself tells its conversations apart.
  key             TEXT NOT NULL UNIQUE,
  session_id      TEXT NOT NULL,
  logical_key     TEXT,
  source_uri      TEXT,
  created_at      INTEGER,
  updated_at      INTEGER,
  -- Of what is no conversation of anybody: what it is instead.
  note            TEXT
);
CREATE TEMP TABLE IF NOT EXISTS derived_messages (
  message_id      INTEGER PRIMARY KEY,
  conversation_id INTEGER NOT NULL,
  seq             INTEGER NOT NULL,
  role            TEXT NOT NULL,
  token_count     INTEGER NOT NULL,
  created_at      INTEGER,
  external_id     TEXT
);
CREATE INDEX IF NOT EXISTS temp.derived_messages_history
  ON derived_messages (conversation_id, seq, role, token_count, created_at);
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
CREATE TEMP TABLE IF NOT EXISTS derived_summary_messages (
  summary_id TEXT NOT NULL,
  message_id INTEGER NOT NULL,
  ordinal    INTEGER NOT NULL
);
CREATE TEMP TABLE IF NOT EXISTS derived_summary_sources (
  summary_id        TEXT NOT NULL,
  source_summary_id TEXT NOT NULL,
  ordinal           INTEGER NOT NULL
);
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
 * Indexes that begin with the id of a summary, and those beside them, are made when their table is filled: row by row
 * they would take twice as long. Indexes of numbers that ascend take no longer row by row, and keep nobody waiting.
 */
const LINEAGE_INDEXES = {
  derived_summaries_history: 'derived_summaries (conversation_id, depth, created_at)',
  derived_summary_messages_summary: 'derived_summary_messages (summary_id, ordinal, message_id)',
  // Without the summary's id, which may be as long as a hash and stands in the table.
  derived_summary_messages_message: 'derived_summary_messages (message_id)',
  derived_summary_sources_summary: 'derived_summary_sources (summary_id, ordinal, source_summary_id)',
  derived_summary_sources_source: 'derived_summary_sources (source_summary_id, summary_id)',
} as const

const dropIndexes = Object.keys(LINEAGE_INDEXES)
  .map((name) => /* sql */ `DROP INDEX IF EXISTS temp.${name};`)
  .join('\n')

/**
 * Numbers from here on stand for what the file names and does not hold, or holds without its conversation: high, so that
 * those of what is really there do not move when it comes.
 */
export const STAND_IN = 1_000_000_000

const queries = {
  /** Summaries and windows are few, and change in place. */
  clear: {
    lineage: /* sql */ `
      ${dropIndexes}
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

/** Makes the tables where there are none; `clearDerived` empties those that are filled anew. */
export function haveDerivedTables(db: PreparableDb): void {
  db.exec(TABLES)
}

/** They are to be filled anew. */
export function clearDerived(db: PreparableDb, what: keyof typeof queries.clear): void {
  db.exec(queries.clear[what])
}

/** Makes the lineage quick to look into: at once after filling it. */
export function* indexingLineage(db: PreparableDb): Generator<void> {
  for (const [name, columns] of Object.entries(LINEAGE_INDEXES)) {
    db.exec(/* sql */ `CREATE INDEX IF NOT EXISTS temp.${name} ON ${columns}`)
    yield
  }
}

/** Rows between two pauses: some milliseconds where each is read from its table and written into another. */
const ROWS_AT_ONCE = 2000

type Range = { readonly last: number; readonly end: number }

/**
 * Fills a table from another, a range of its numbers at a time; a longer one where there are few rows in it.
 * @param next the first number after the given one
 * @param fill does that for the numbers after `last`, up to `end`, and returns how many rows it wrote
 */
export function* inRanges(
  next: (last: number) => number | null | undefined,
  after: number,
  fill: (range: Range) => number,
): Generator<void> {
  let length = ROWS_AT_ONCE
  for (let last = after; ; ) {
    const first = next(last)
    if (first == null) return
    const end = first + length - 1
    length = fill({ last, end }) < ROWS_AT_ONCE / 4 ? length * 2 : ROWS_AT_ONCE
    last = end
    yield
  }
}

/** Messages and conversations are to be filled anew. */
export function forgetDerivedMessages(db: PreparableDb): void {
  db.exec(queries.forget)
}

/** Below every number of a message. */
export const BEFORE_ALL = Number.MIN_SAFE_INTEGER

/**
 * The number of the last message that is derived already and still stands in the file: only later ones have to be read.
 * These systems only ever add messages; when some are gone all the same, everything is forgotten and read again.
 * @param isUnchanged whether the file still has `count` messages up to number `last`, and the same last one
 */
export function lastDerivedMessage(db: PreparableDb, isUnchanged: (count: number, last: number) => boolean): number {
  const known = db.get<{ count: number; last: number | null }>(queries.known)
  if (known && known.last !== null && isUnchanged(known.count, known.last)) return known.last
  forgetDerivedMessages(db)
  return BEFORE_ALL
}
