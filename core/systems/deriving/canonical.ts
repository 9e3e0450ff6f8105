import { LcmError } from '#core/errors.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { TABLES } from '#core/tables.ts'

/**
 * The names and columns that every query of the core is written against: tables of a native file, TEMP views over
 * another system's. `views()` of a system fills in what its system has; the rest is NULL or an empty view.
 */
export const CANONICAL: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(TABLES.map(({ name, columns }) => [name, columns.map((column) => column.name)])),
  lcm_meta: ['key', 'value'],
  conversation_locks: ['conversation_id', 'owner', 'acquired_at', 'lease_until'],
  summary_parents: ['summary_id', 'parent_summary_id', 'ordinal'],
  message_text: ['message_id', 'content', 'tool_input', 'tool_output', 'reasoning'],
  // Messages by the ids that their system, or the transcript that they came from, gives them: quick to look into.
  message_names: ['external_id', 'message_id'],
  // Rows of role system that record an event and are no part of the conversation: nothing has to cover them.
  event_messages: ['message_id'],
  // What is no conversation of anybody, such as a summariser's own run: a sentence that says what it is.
  internal_conversations: ['conversation_id', 'note'],
  // Time ranges as the file gives them, where `summaries` has them from the messages because the file's are wrong.
  stored_ranges: ['summary_id', 'earliest_at', 'latest_at'],
}

/**
 * One view: canonical column → SQL expression over `from`; columns not named are NULL. Without `from` the view has no
 * rows and needs no expressions. Expressions are written by a system, never taken from the file.
 */
export function view(name: string, columns: Readonly<Record<string, string>>, from: string | null): string {
  const wanted = CANONICAL[name] ?? []
  const surplus = Object.keys(columns).filter((column) => !wanted.includes(column))
  if (wanted.length === 0 || surplus.length > 0) throw new Error(`not canonical: ${name} ${surplus.join(', ')}`)
  const list = wanted.map((column) => `  ${(from && columns[column]) ?? 'NULL'} AS ${column}`).join(',\n')
  return /* sql */ `CREATE TEMP VIEW ${name} AS\nSELECT\n${list}\n${from ? `FROM ${from}` : 'WHERE 0'};\n`
}

/**
 * A system's own files always have row numbers in these tables, and its rows are told by them.
 * @throws LcmError unsupported_system for a file whose table has none
 */
export function requireRowids(probe: SchemaProbe, label: string, tables: readonly string[]): void {
  const without = tables.find((table) => !probe.hasRowids(table))
  if (without === undefined) return
  throw new LcmError(
    'unsupported_system',
    `The file looks like one of ${label}, but its table ${without} is WITHOUT ROWID, as ${label} never makes it: it cannot be read. Copy its rows into a table with row numbers.`,
    { table: without },
  )
}

/** Views without rows for all names that a system has nothing to say about. */
export const emptyViews = (made: readonly string[]): string =>
  Object.keys(CANONICAL)
    .filter((name) => !made.includes(name))
    .map((name) => view(name, {}, null))
    .join('')

/** Text of a message as one row, the same for every system that fills `messages` and `message_parts`. */
export const MESSAGE_TEXT_VIEW = /* sql */ `
CREATE TEMP VIEW message_text AS
SELECT
  m.message_id,
  m.content,
  (SELECT group_concat(p.tool_input, char(10) ORDER BY p.ordinal) FROM temp.message_parts AS p
    WHERE p.message_id = m.message_id AND p.is_synthetic = 0) AS tool_input,
  (SELECT group_concat(p.tool_output, char(10) ORDER BY p.ordinal) FROM temp.message_parts AS p
    WHERE p.message_id = m.message_id AND p.is_synthetic = 0) AS tool_output,
  (SELECT group_concat(p.text_content, char(10) ORDER BY p.ordinal) FROM temp.message_parts AS p
    WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_type = 'reasoning') AS reasoning
FROM temp.messages AS m;
`

/** Milliseconds since 1970 UTC of an ISO text or of `YYYY-MM-DD HH:MM:SS` in UTC; NULL when it is neither. */
export const textTimeMs = (column: string): string => `CAST(round(unixepoch(${column}, 'subsec') * 1000) AS INTEGER)`

/** Sums of numbers up to this one stay exact over four million rows. */
const MAX_COUNT = 2 ** 31 - 1
/** A deeper lineage could not be drawn. */
const MAX_DEPTH = 1000
const MAX_TIME_MS = 8.64e15

/** A text, whatever a damaged file holds instead: SQLite keeps any value in any column. NULL stays NULL. */
export const textOf = (expression: string): string => `CAST(${expression} AS TEXT)`

/** A whole number whose sums are exact; 0 for what is no number. */
export const countOf = (expression: string): string =>
  `coalesce(max(${-MAX_COUNT}, min(CAST(${expression} AS INTEGER), ${MAX_COUNT})), 0)`

/** A depth from 0 to the largest that can be drawn. */
export const depthOf = (expression: string): string =>
  `coalesce(max(0, min(CAST(${expression} AS INTEGER), ${MAX_DEPTH})), 0)`

/** Bytes, or NULL for what cannot be a number of bytes. */
export const sizeOf = (expression: string): string =>
  `iif(typeof(${expression}) = 'integer' AND ${expression} BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}, ${expression}, NULL)`

/** A time in milliseconds, or NULL for what no calendar holds. */
export const millisecondsOf = (expression: string): string =>
  `iif(CAST(${expression} AS INTEGER) BETWEEN ${-MAX_TIME_MS} AND ${MAX_TIME_MS}, CAST(${expression} AS INTEGER), NULL)`

/** Milliseconds of a time in seconds; NULL for what is no time. */
export const secondsMs = (expression: string): string =>
  `CASE WHEN typeof(${expression}) IN ('integer', 'real') AND abs(${expression}) * 1000 < ${MAX_TIME_MS}
    THEN CAST(round(${expression} * 1000) AS INTEGER) END`
