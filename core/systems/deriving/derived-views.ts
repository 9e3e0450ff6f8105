import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { view } from './canonical.ts'

/** How a system's own number of its schema is shown; null for what is no such number. */
export const schemaLabel = (version: number | undefined | null): string | null =>
  Number.isInteger(version) && Number(version) > 0 && Number(version) < 10_000 ? `schema ${version}` : null

/** No count of a sound file comes near this. */
const LARGEST_COUNT = 1_000_000_000_000

/** Names of a table's columns as expressions: NULL, or what is given, for those that this file does not have. */
export function columnsOf(probe: SchemaProbe, table: string, alias: string) {
  return (column: string, otherwise = 'NULL'): string => (probe.has(table, column) ? `${alias}.${column}` : otherwise)
}

/** The text of a column, whatever a damaged file holds in it. */
export const asText = (expression: string): string => `CAST(coalesce(${expression}, '') AS TEXT)`

/** An id, cut to the longest that can be asked for. Bytes are written as hex digits. NULL for an empty id. */
export const asId = (expression: string): string =>
  `nullif(substr(iif(typeof(${expression}) = 'blob', hex(${expression}), CAST(${expression} AS TEXT)), 1, 512), '')`

/** The whole number of a column, whatever a damaged file holds in it. Sums of such numbers stay exact. */
export const asCount = (expression: string): string =>
  `max(${-LARGEST_COUNT}, min(${LARGEST_COUNT}, CAST(coalesce(${expression}, 0) AS INTEGER)))`

/** Asks the messages that a summary covers, through all its sources; a cycle ends. */
const ofCovered = (answer: string): string => `(
    WITH RECURSIVE below (id) AS (
      SELECT s.summary_id
      UNION
      SELECT e.source_summary_id FROM below JOIN temp.derived_summary_sources AS e ON e.summary_id = below.id
    )
    SELECT ${answer} FROM below
    JOIN temp.derived_summary_messages AS l ON l.summary_id = below.id
    JOIN temp.derived_messages AS m ON m.message_id = l.message_id
  )`

/** The time of the first or last message. It stands for that of a conversation whose system keeps none. */
const endOf = (direction: 'ASC' | 'DESC'): string =>
  `(SELECT m.created_at FROM temp.derived_messages AS m
    WHERE m.conversation_id = c.conversation_id ORDER BY m.seq ${direction} LIMIT 1)`

export type DerivedTexts = {
  readonly importer: string
  /** SQL of the text of the message `d.message_id`. */
  readonly messageContent: string
  /** SQL of the SHA-256 of that text, where the system keeps one. */
  readonly messageHash?: string
  /** SQL of the id that the system gave the message. */
  readonly messageName?: string
  /** SQL of the text of the summary `s.summary_rowid`. */
  readonly summaryContent: string
  /** True when every message is in the window of its conversation, and nothing else. Then no window is derived. */
  readonly showsAllMessages?: boolean
}

/** A window that holds all messages of its conversation, each at its seq. */
const WINDOW_OF_ALL = view(
  'context_items',
  {
    conversation_id: 'd.conversation_id',
    ordinal: 'd.seq',
    item_type: `'message'`,
    message_id: 'd.message_id',
    summary_id: 'd.summary_id',
  },
  'temp.derived_messages AS d',
)

/**
 * Links and windows of derived tables that have our own column names.
 * @param tables.window the table of the windows, or null when the system has a view of its own for them
 */
export function lineageViews(tables: {
  readonly messages: string
  readonly sources: string
  readonly window: string | null
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
    tables.window === null
      ? ''
      : same('context_items', ['conversation_id', 'ordinal', 'item_type', 'message_id', 'summary_id'], tables.window),
  ].join('')
}

/** The views of all that is derived; those of parts, files and whatever else the system has are the system's own. */
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
        external_id: texts.messageName ?? 'NULL',
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
        source_token_count: ofCovered('CAST(total(m.token_count) AS INTEGER)'),
        descendant_count: `(
    WITH RECURSIVE below (id) AS (
      SELECT e.source_summary_id FROM temp.derived_summary_sources AS e WHERE e.summary_id = s.summary_id
      UNION
      SELECT e.source_summary_id FROM below JOIN temp.derived_summary_sources AS e ON e.summary_id = below.id
    )
    SELECT count(*) FROM below
  )`,
        earliest_at: ofCovered('min(m.created_at)'),
        latest_at: ofCovered('max(m.created_at)'),
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
      window: texts.showsAllMessages ? null : 'temp.derived_context_items',
    }),
    texts.showsAllMessages ? WINDOW_OF_ALL : '',
  ].join('')
}
