import { startSha1 } from '#core/hashing.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import { LARGE_PAGE_CACHE, SMALL_PAGE_CACHE } from '#core/sqlite/page-cache.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { millisecondsOf, textTimeMs } from '../deriving/canonical.ts'
import {
  BEFORE_ALL,
  clearDerived,
  forgetDerivedMessages,
  haveDerivedTables,
  inRanges,
  STAND_IN,
} from '../deriving/derived-tables.ts'
import { asCount, asId, asText, columnsOf } from '../deriving/derived-views.ts'
import type { Source } from '../system.ts'
import { PI_SUMMARY_ROLES } from './parts.ts'
import { fillingPiWindows, followPiWindows, PI_WINDOW_TABLES } from './window.ts'

/** Roles of Pi for results of a tool. Shell commands of the user are among them. */
const RESULT_ROLES = `'toolResult', 'bashExecution'`

const queries = {
  conversations: /* sql */ `
    SELECT conversation_id, key FROM temp.derived_conversations ORDER BY conversation_id`,
  lastId: /* sql */ `SELECT id FROM temp.pi_last`,
  forgetLastId: /* sql */ `DELETE FROM temp.pi_last`,
  keepLastId: /* sql */ `INSERT INTO temp.pi_last (id) VALUES (:id)`,
  last: /* sql */ `SELECT max(message_id) FROM temp.derived_messages`,
  forgetThreads: /* sql */ `DELETE FROM temp.pi_threads`,
  hasOtherMessages: /* sql */ `
    SELECT 1 FROM (
      SELECT c.key, count(*) AS messages, total(d.message_id) AS numbers
      FROM temp.derived_messages AS d JOIN temp.derived_conversations AS c ON c.conversation_id = d.conversation_id
      GROUP BY d.conversation_id
    ) AS k
    FULL JOIN temp.pi_threads AS t ON t.key = k.key
    WHERE coalesce(t.messages, 0) <> coalesce(k.messages, 0) OR coalesce(t.numbers, 0) <> coalesce(k.numbers, 0)
    LIMIT 1`,
  keepNumbers: /* sql */ `
    DELETE FROM temp.pi_numbers;
    INSERT INTO temp.pi_numbers (conversation_id, key) SELECT conversation_id, key FROM temp.derived_conversations;
    DELETE FROM temp.derived_conversations;`,
  hasMoved: /* sql */ `
    SELECT 1 FROM temp.pi_numbers AS w LEFT JOIN temp.derived_conversations AS n ON n.key = w.key
    WHERE n.conversation_id IS NOT w.conversation_id LIMIT 1`,
  move: /* sql */ `
    UPDATE temp.derived_messages AS d SET conversation_id = n.conversation_id
    FROM temp.pi_numbers AS w JOIN temp.derived_conversations AS n ON n.key = w.key
    WHERE d.conversation_id = w.conversation_id AND n.conversation_id <> w.conversation_id`,
  /** Messages of a conversation that is not in the file are shown as a conversation of their own. */
  ofMessages: /* sql */ `
    INSERT OR IGNORE INTO temp.derived_conversations (conversation_id, key, session_id)
    SELECT ${STAND_IN} + first, key, key FROM temp.pi_threads
    WHERE key NOT IN (SELECT k.key FROM temp.derived_conversations AS k)`,
  nextMessage: /* sql */ `SELECT min(rowid) FROM main.messages WHERE rowid > :last`,
  nextLink: /* sql */ `SELECT min(rowid) FROM main.summary_sources WHERE rowid > :last`,
  lineage: /* sql */ `SELECT stamp FROM temp.pi_lineage`,
  forgetLineage: /* sql */ `DELETE FROM temp.pi_lineage`,
  keepLineage: /* sql */ `INSERT INTO temp.pi_lineage (stamp) VALUES (:stamp)`,
  /** A source that was missing may have been added since. */
  hasMissingSource: /* sql */ `SELECT 1 FROM temp.derived_summary_messages WHERE message_id >= ${STAND_IN} LIMIT 1`,
}

/** Brings the TEMP tables in step with the file: numbers of conversations and messages, links by number, windows. */
export function* derivingPi({ db, probe, isStill }: Source): Generator<void> {
  haveDerivedTables(db)
  db.exec(STATE)
  const { last, isMoved } = readConversations(db, probe)
  yield
  yield* inRanges(
    db,
    (id) => db.value(queries.nextMessage, { last: id }),
    last,
    (range) => db.run(messages(probe), range),
  )
  db.run(queries.forgetLastId)
  db.run(queries.keepLastId, { id: uuidOf(db, probe, db.value<number>(queries.last) ?? BEFORE_ALL) })
  const stamp = isStill ? '' : yield* readingLineageStamp(db, probe)
  const isKept = last !== BEFORE_ALL && db.value(queries.lineage) === stamp && !db.value(queries.hasMissingSource)
  if (!isKept) {
    clearDerived(db, 'lineage')
    if (probe.has('summaries')) db.run(summaries(probe))
    yield
    yield* fillingLinks(db, probe)
    db.run(queries.forgetLineage)
    db.run(queries.keepLineage, { stamp })
  }
  const hasMark = probe.has('messages', 'is_compacted')
  if (isKept && !isMoved) followPiWindows(db, hasMark, last)
  else yield* fillingPiWindows(db, hasMark)
}

/**
 * Fills the conversations. Known messages stay, and take the number that their conversation has now. It differs when
 * the row of the conversation is gone.
 * @returns the last known message, and whether any message has another conversation number than before
 */
function readConversations(db: PreparableDb, probe: SchemaProbe): { last: number; isMoved: boolean } {
  const last = lastKnown(db, probe)
  db.exec(queries.keepNumbers)
  if (probe.has('conversations', 'id')) db.run(conversations(probe))
  db.run(queries.ofMessages)
  if (probe.has('summaries')) db.run(ofSummaries(probe))
  const isMoved = db.value(queries.hasMoved) !== undefined
  if (isMoved) db.run(queries.move)
  return { last, isMoved }
}

/** Returns the last known message if every conversation still has the same messages up to it. Otherwise forgets all. */
function lastKnown(db: PreparableDb, probe: SchemaProbe): number {
  const last = db.value<number>(queries.last) ?? BEFORE_ALL
  db.run(queries.forgetThreads)
  db.run(threads(probe), { last })
  // When the newest row is deleted, its number is used again. The UUID tells the two apart.
  const isSame =
    last !== BEFORE_ALL && uuidOf(db, probe, last) === db.value(queries.lastId) && !db.value(queries.hasOtherMessages)
  if (isSame) return last
  forgetDerivedMessages(db)
  return BEFORE_ALL
}

/** Returns the UUID of a message, or null when the file has none. */
function uuidOf(db: PreparableDb, probe: SchemaProbe, row: number): string | null {
  const id = columnsOf(probe, 'messages', 'm')('id')
  return (
    db.value<string>(/* sql */ `SELECT CAST(${id} AS TEXT) FROM main.messages AS m WHERE m.rowid = :row`, { row }) ??
    null
  )
}

/** Fills the links. Their UUIDs come in no order, so that the same pages of the index of messages are read repeatedly. */
function* fillingLinks(db: PreparableDb, probe: SchemaProbe): Generator<void> {
  const { messages: ofMessages, summaries: ofSummaries } = links(probe)
  db.exec(LARGE_PAGE_CACHE)
  try {
    // If the file has no index of UUIDs, SQLite makes one for each statement. So there is only one statement.
    if (!probe.isIndexed('messages', 'id')) db.run(ofMessages, { last: BEFORE_ALL, end: Number.MAX_SAFE_INTEGER })
    else {
      yield* inRanges(
        db,
        (id) => db.value(queries.nextLink, { last: id }),
        BEFORE_ALL,
        (range) => db.run(ofMessages, range),
      )
    }
    db.run(ofSummaries)
    yield
  } finally {
    db.exec(SMALL_PAGE_CACHE)
  }
}

/** Tables that tell whether the file is still what it was when it was read. */
const STATE = /* sql */ `
CREATE TEMP TABLE IF NOT EXISTS pi_lineage (stamp TEXT NOT NULL);
-- The UUID of the last message that was read.
CREATE TEMP TABLE IF NOT EXISTS pi_last (id TEXT);
-- Messages of the file by the conversation that they name. Counts and sums go up to the last message that was known.
CREATE TEMP TABLE IF NOT EXISTS pi_threads (
  key      TEXT PRIMARY KEY,
  first    INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  numbers  REAL NOT NULL
) WITHOUT ROWID;
-- The numbers that the conversations had before.
CREATE TEMP TABLE IF NOT EXISTS pi_numbers (conversation_id INTEGER PRIMARY KEY, key TEXT NOT NULL);
${PI_WINDOW_TABLES}`

/** Rows of summaries or of their links between two yields. */
const ROWS_AT_ONCE = 4000

/** Returns a hash of all that summaries and links are made from. */
function* readingLineageStamp(db: PreparableDb, probe: SchemaProbe): Generator<void, string> {
  const hash = startSha1()
  for (const row of db.rows(queries.conversations)) hash.update(JSON.stringify(row))
  for (const [table, columns] of LINEAGE_TABLES) {
    if (!probe.has(table)) continue
    const column = columnsOf(probe, table, 't')
    const sql = rowsAsText(
      table,
      columns.map((name) => column(name)),
    )
    for (let last = BEFORE_ALL; ; ) {
      const [end, text] = db.rows<[number | null, string | null]>(sql, { last })[0] ?? [null, null]
      if (end === null) break
      hash.update(String(text))
      last = nextKey(db, `the numbers of ${table}`, last, end)
      yield
    }
  }
  return hash.digest('hex')
}

const LINEAGE_TABLES = [
  ['summaries', ['id', 'conversation_id', 'depth', 'token_estimate', 'created_at']],
  ['summary_sources', ['summary_id', 'source_type', 'source_id', 'seq']],
] as const

/**
 * The next rows of a table as one text, and the number of the last. A text stands there as it is, anything else as SQL
 * would write it.
 */
const rowsAsText = (table: string, columns: readonly string[]): string => /* sql */ `
  SELECT max(row), group_concat(text, char(10))
  FROM (
    SELECT t.rowid AS row,
      ${['t.rowid', ...columns].map((name) => `iif(typeof(${name}) = 'text', ${name}, quote(${name}))`).join(" || ' ' || ")} AS text
    FROM main.${table} AS t
    WHERE t.rowid > :last
    ORDER BY t.rowid
    LIMIT ${ROWS_AT_ONCE}
  )`

function conversations(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'conversations', 'c')
  return /* sql */ `
    INSERT OR IGNORE INTO temp.derived_conversations
      (conversation_id, key, session_id, logical_key, source_uri, created_at, updated_at)
    SELECT c.rowid, ${asText('c.id')}, ${asText(column('session_id', 'c.id'))}, CAST(${column('cwd')} AS TEXT),
      CAST(${column('session_file')} AS TEXT),
      ${textTimeMs(column('created_at'))}, ${textTimeMs(column('updated_at'))}
    FROM main.conversations AS c`
}

function threads(probe: SchemaProbe): string {
  const conversation = columnsOf(probe, 'messages', 'm')('conversation_id')
  return /* sql */ `
    INSERT INTO temp.pi_threads (key, first, messages, numbers)
    SELECT ${asText('conversation')} AS key, min(first), sum(messages), total(numbers)
    FROM (
      SELECT ${conversation} AS conversation, min(m.rowid) AS first,
        count(*) FILTER (WHERE m.rowid <= CAST(:last AS INTEGER)) AS messages,
        total(m.rowid) FILTER (WHERE m.rowid <= CAST(:last AS INTEGER)) AS numbers
      FROM main.messages AS m GROUP BY ${conversation}
    )
    GROUP BY 1`
}

function ofSummaries(probe: SchemaProbe): string {
  const key = asText(columnsOf(probe, 'summaries', 's')('conversation_id'))
  return /* sql */ `
    INSERT OR IGNORE INTO temp.derived_conversations (conversation_id, key, session_id)
    SELECT ${STAND_IN} + min(s.rowid), ${key} AS key, ${key}
    FROM main.summaries AS s
    GROUP BY 2
    HAVING key NOT IN (SELECT k.key FROM temp.derived_conversations AS k)`
}

function messages(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'messages', 'm')
  const role = column('role')
  return /* sql */ `
    INSERT OR IGNORE INTO temp.derived_messages (message_id, conversation_id, seq, role, token_count, created_at)
    SELECT m.rowid, c.conversation_id, ${asCount(column('seq', 'm.rowid'))},
      CASE
        WHEN ${role} IN ('user', 'assistant', 'system', 'tool') THEN ${role}
        WHEN ${role} IN (${RESULT_ROLES}) THEN 'tool'
        WHEN ${role} IN ('custom', ${PI_SUMMARY_ROLES}) THEN 'user'
        ELSE 'system' END,
      ${asCount(column('token_estimate'))}, ${millisecondsOf(column('timestamp'))}
    FROM main.messages AS m
    CROSS JOIN temp.derived_conversations AS c ON c.key = ${asText(column('conversation_id'))}
    WHERE m.rowid > :last AND m.rowid <= :end`
}

function summaries(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'summaries', 's')
  const depth = asCount(column('depth'))
  return /* sql */ `
    INSERT OR IGNORE INTO temp.derived_summaries
      (summary_rowid, summary_id, conversation_id, kind, depth, token_count, created_at, level)
    SELECT s.rowid, coalesce(${asId(column('id'))}, 'row_' || s.rowid), c.conversation_id, iif(${depth} = 0, 'leaf', 'condensed'), ${depth},
      ${asCount(column('token_estimate'))}, ${textTimeMs(column('created_at'))}, 'unknown'
    FROM main.summaries AS s
    JOIN temp.derived_conversations AS c ON c.key = ${asText(column('conversation_id'))}`
}

/**
 * Statements that fill the links. A source that is not in the file keeps its place in the list, under a number that no
 * message has. The plus makes SQLite read the rows in their order, in which the links of a summary stand together. So
 * they are indexed four times as fast.
 */
function links(probe: SchemaProbe): { messages: string; summaries: string } {
  const column = columnsOf(probe, 'summary_sources', 'e')
  const ordinal = asCount(column('seq', 'e.rowid'))
  const [summary, source] = [asId(column('summary_id')), column('source_id')]
  return {
    messages: /* sql */ `
      INSERT INTO temp.derived_summary_messages (summary_id, message_id, ordinal)
      SELECT ${summary}, coalesce(m.rowid, ${STAND_IN} + e.rowid), ${ordinal}
      FROM main.summary_sources AS e
      LEFT JOIN main.messages AS m ON ${columnsOf(probe, 'messages', 'm')('id')} = ${source}
      WHERE e.rowid > :last AND e.rowid <= :end AND +e.source_type = 'message' AND ${summary} IS NOT NULL`,
    summaries: /* sql */ `
      INSERT INTO temp.derived_summary_sources (summary_id, source_summary_id, ordinal)
      SELECT ${summary}, ${asId(source)}, ${ordinal}
      FROM main.summary_sources AS e
      WHERE e.source_type = 'summary' AND ${summary} IS NOT NULL AND ${asId(source)} IS NOT NULL`,
  }
}
