import type { SchemaProbe } from '../schema-probe.ts'
import type { PreparableDb } from '../uri-db.ts'
import { view } from './canonical.ts'

/**
 * TEMP tables for systems whose own tables lack our keys: no numbers of conversations or messages, no order, links
 * without an index. They hold what is small; texts stay in the file and are fetched by row. Filled by a dialect's
 * `prepare`, read by the views below, which look into one table each, so that SQLite can use an index in every join.
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
`

/** An index is made when its table is filled: row by row it would take twice as long. */
const INDEXES = {
  messages: {
    derived_messages_history: 'derived_messages (conversation_id, seq, role, token_count, created_at)',
    derived_messages_external: 'derived_messages (external_id) WHERE external_id IS NOT NULL',
  },
  lineage: {
    derived_summaries_history: 'derived_summaries (conversation_id, depth, created_at)',
    derived_summary_messages_summary: 'derived_summary_messages (summary_id, ordinal, message_id)',
    derived_summary_messages_message: 'derived_summary_messages (message_id, summary_id)',
    derived_summary_sources_summary: 'derived_summary_sources (summary_id, ordinal, source_summary_id)',
    derived_summary_sources_source: 'derived_summary_sources (source_summary_id, summary_id)',
  },
  window: {
    derived_context_items_order: 'derived_context_items (conversation_id, ordinal)',
    derived_context_items_message: 'derived_context_items (message_id) WHERE message_id IS NOT NULL',
    derived_context_items_summary: 'derived_context_items (summary_id) WHERE summary_id IS NOT NULL',
  },
} as const

const dropIndexes = (of: keyof typeof INDEXES): string =>
  Object.keys(INDEXES[of])
    .map((name) => `DROP INDEX IF EXISTS temp.${name};`)
    .join('\n')

const makeIndexes = (of: keyof typeof INDEXES): string =>
  Object.entries(INDEXES[of])
    .map(([name, columns]) => `CREATE INDEX IF NOT EXISTS temp.${name} ON ${columns};`)
    .join('\n')

/** Summaries and windows are few, and change in place. */
const CLEAR = {
  lineage: /* sql */ `
${dropIndexes('lineage')}
DELETE FROM temp.derived_summaries;
DELETE FROM temp.derived_summary_messages;
DELETE FROM temp.derived_summary_sources;
`,
  window: /* sql */ `
${dropIndexes('window')}
DELETE FROM temp.derived_context_items;
`,
} as const

const FORGET = /* sql */ `
${dropIndexes('messages')}
DELETE FROM temp.derived_messages;
DELETE FROM temp.derived_conversations;
`

/**
 * Numbers from here on stand for what the file names and does not hold, or holds without its conversation: high, so that
 * those of what is really there do not move when it comes.
 */
export const STAND_IN = 1_000_000_000

const queries = {
  known: /* sql */ `SELECT count(*) AS count, max(message_id) AS last FROM temp.derived_messages`,
}

/** Makes the tables where there are none; with `clearDerived`, for a dialect that knows what it can keep. */
export function haveDerivedTables(db: PreparableDb): void {
  db.exec(TABLES)
}

/** They are to be filled anew. */
export function clearDerived(db: PreparableDb, what: keyof typeof CLEAR): void {
  db.exec(CLEAR[what])
}

/** Makes the tables, or empties those that are filled anew each time. */
export function makeDerivedTables(db: PreparableDb): void {
  haveDerivedTables(db)
  clearDerived(db, 'lineage')
  clearDerived(db, 'window')
}

/** Makes what was filled quick to look into: at once after filling it. */
export function indexDerived(db: PreparableDb, what: keyof typeof INDEXES): void {
  db.exec(makeIndexes(what))
}

/** Messages and conversations are to be filled anew. */
export function forgetDerivedMessages(db: PreparableDb): void {
  db.exec(FORGET)
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

/** How a system's own number of its schema is shown; null for what is no such number. */
export const schemaLabel = (version: number | undefined | null): string | null =>
  Number.isInteger(version) && Number(version) > 0 && Number(version) < 10_000 ? `schema ${version}` : null

/** Nothing that is counted comes near it. */
const LARGEST_COUNT = 1_000_000_000_000

/** Names of a table's columns as expressions: NULL, or what is given, for those that this file does not have. */
export function columnsOf(probe: SchemaProbe, table: string, alias: string) {
  return (column: string, otherwise = 'NULL'): string => (probe.has(table, column) ? `${alias}.${column}` : otherwise)
}

/** A column that holds a text, whatever a damaged file holds instead. */
export const asText = (expression: string): string => `CAST(coalesce(${expression}, '') AS TEXT)`

/** As an id may be long at most; an id that is empty or missing is none, and bytes are no text to ask by. */
export const asId = (expression: string): string =>
  `nullif(substr(iif(typeof(${expression}) = 'blob', hex(${expression}), CAST(${expression} AS TEXT)), 1, 512), '')`

/** A column that holds a whole number, whatever a damaged file holds instead; sums of them stay exact. */
export const asCount = (expression: string): string =>
  `max(${-LARGEST_COUNT}, min(${LARGEST_COUNT}, CAST(coalesce(${expression}, 0) AS INTEGER)))`

/** Messages beneath a summary, through all its sources; a cycle ends. */
const beneath = (answer: string): string => `(
    WITH RECURSIVE below (id) AS (
      SELECT s.summary_id
      UNION
      SELECT e.source_summary_id FROM below JOIN temp.derived_summary_sources AS e ON e.summary_id = below.id
    )
    SELECT ${answer} FROM below
    JOIN temp.derived_summary_messages AS l ON l.summary_id = below.id
    JOIN temp.derived_messages AS m ON m.message_id = l.message_id
  )`

/** The last or first message's time: the conversation's own, where the system keeps none. */
const endOf = (direction: 'ASC' | 'DESC'): string =>
  `(SELECT m.created_at FROM temp.derived_messages AS m
    WHERE m.conversation_id = c.conversation_id ORDER BY m.seq ${direction} LIMIT 1)`

export type DerivedTexts = {
  readonly importer: string
  /** Text of the message `d.message_id`. */
  readonly messageContent: string
  /** SHA-256 of it, where the system keeps one. */
  readonly messageHash?: string
  /** Text of the summary `s.summary_rowid`. */
  readonly summaryContent: string
}

/** Links and windows of derived tables that have our own column names. */
export function lineageViews(tables: {
  readonly messages: string
  readonly sources: string
  readonly window: string
}): string {
  const same = (name: string, columns: readonly string[], table: string): string =>
    view(name, Object.fromEntries(columns.map((column) => [column, column])), table)
  return [
    same('summary_messages', ['summary_id', 'message_id', 'ordinal'], tables.messages),
    same('summary_sources', ['summary_id', 'source_summary_id', 'ordinal'], tables.sources),
    view(
      'summary_parents',
      { summary_id: 'summary_id', parent_summary_id: 'source_summary_id', ordinal: 'ordinal' },
      tables.sources,
    ),
    same('context_items', ['conversation_id', 'ordinal', 'item_type', 'message_id', 'summary_id'], tables.window),
  ].join('')
}

/** The views of all that is derived; those of parts, files and whatever else the system has are the dialect's own. */
export function derivedViews(texts: DerivedTexts): string {
  return [
    view(
      'conversations',
      {
        conversation_id: 'c.conversation_id',
        session_id: 'c.session_id',
        logical_key: 'c.logical_key',
        importer: `'${texts.importer}'`,
        source_uri: 'c.source_uri',
        created_at: `coalesce(c.created_at, ${endOf('ASC')})`,
        updated_at: `coalesce(c.updated_at, ${endOf('DESC')})`,
      },
      'temp.derived_conversations AS c',
    ),
    view(
      'internal_conversations',
      { conversation_id: 'conversation_id', note: 'note' },
      'temp.derived_conversations WHERE note IS NOT NULL',
    ),
    view(
      'messages',
      {
        message_id: 'd.message_id',
        conversation_id: 'd.conversation_id',
        seq: 'd.seq',
        role: 'd.role',
        token_count: 'd.token_count',
        created_at: 'd.created_at',
        external_id: 'd.external_id',
        content_hash: texts.messageHash ?? 'NULL',
        content: texts.messageContent,
      },
      'temp.derived_messages AS d',
    ),
    view(
      'summaries',
      {
        summary_rowid: 's.summary_rowid',
        summary_id: 's.summary_id',
        conversation_id: 's.conversation_id',
        kind: 's.kind',
        depth: 's.depth',
        token_count: 's.token_count',
        source_token_count: beneath('CAST(total(m.token_count) AS INTEGER)'),
        descendant_count: `(
    WITH RECURSIVE below (id) AS (
      SELECT e.source_summary_id FROM temp.derived_summary_sources AS e WHERE e.summary_id = s.summary_id
      UNION
      SELECT e.source_summary_id FROM below JOIN temp.derived_summary_sources AS e ON e.summary_id = below.id
    )
    SELECT count(*) FROM below
  )`,
        earliest_at: beneath('min(m.created_at)'),
        latest_at: beneath('max(m.created_at)'),
        created_at: 's.created_at',
        level: 's.level',
        file_ids: `'[]'`,
        content: texts.summaryContent,
      },
      'temp.derived_summaries AS s',
    ),
    lineageViews({
      messages: 'temp.derived_summary_messages',
      sources: 'temp.derived_summary_sources',
      window: 'temp.derived_context_items',
    }),
  ].join('')
}
