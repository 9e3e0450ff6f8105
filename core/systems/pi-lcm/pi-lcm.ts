import { join } from 'node:path'
import { startSha1 } from '../../hashing.ts'
import type { SqlValue } from '../../sqlite/read-db.ts'
import type { SchemaProbe } from '../../sqlite/schema-probe.ts'
import type { PreparableDb } from '../../sqlite/uri-db.ts'
import { MESSAGE_TEXT_VIEW, requireRowids, textTimeMs } from '../canonical.ts'
import {
  BEFORE_ALL,
  clearDerived,
  forgetDerivedMessages,
  haveDerivedTables,
  indexDerived,
  STAND_IN,
} from '../derived-tables.ts'
import { asCount, asId, asText, columnsOf, derivedViews, schemaLabel } from '../derived-views.ts'
import { memoriesIn } from '../places.ts'
import type { ForeignSystem, Source } from '../system.ts'
import { indexOfMessages } from '../system-facts.ts'
import { unshownRows } from '../unshown-rows.ts'
import { facts, knownExceptions, preset, valueRules } from './facts.ts'
import { ownRules } from './own-rules.ts'
import { PI_SUMMARY_ROLES, piPartsView } from './parts.ts'
import { fillPiWindows, followPiWindows, PI_WINDOW_TABLES } from './window.ts'

/** Roles of Pi that are results of a tool, the user's own shell commands among them. */
const RESULT_ROLES = `'toolResult', 'bashExecution'`

/**
 * A message's number is its row, a summary's id its UUID. The original message is kept as JSON: parts are made from it,
 * since the text beside it has no reasoning and tells no call from what was said.
 */
export const piLcm: ForeignSystem = {
  id: 'pi-lcm',
  facts,
  valueRules,
  ownIndexes: [indexOfMessages('t.rowid', 't.content_text')],
  tokenRules: [(text) => Math.ceil(text.length / 3.5)],
  knownExceptions,
  ownRules,
  preset,
  places: ({ home }) => memoriesIn(join(home, '.pi', 'agent', 'lcm')),
  summaries: 'replace',
  ledger: null,
  label: () => 'pi-lcm',
  detect: (probe) =>
    probe.has('_schema_version') &&
    probe.has('_metadata', 'key') &&
    probe.has('summary_sources', 'source_type') &&
    probe.has('messages', 'dedup_hash'),
  project: (db) => (db.value(queries.hasMetadata) ? (db.value<string>(queries.project) ?? null) : null),
  version: (probe, { db }) => (probe.has('_schema_version', 'version') ? schemaLabel(db.value(queries.version)) : null),
  capabilities: () => ({
    parts: true,
    files: false,
    runs: false,
    storedWindow: false,
    derivedWindow:
      'Of each depth the newest summary, deepest first, as far as 8,000 tokens reach; then every message that was not compacted.',
    levels: false,
    fullTextIndex: false,
    substringIndex: false,
  }),
  lacks: (_probe, source) => [
    ...unshownRows(source, {
      messages: /* sql */ 'SELECT count(*) FROM temp.derived_messages',
      summaries: /* sql */ 'SELECT count(*) FROM temp.derived_summaries',
      summary_sources: /* sql */ `SELECT (SELECT count(*) FROM temp.derived_summary_messages)
        + (SELECT count(*) FROM temp.derived_summary_sources)`,
    }),
    'The window is not stored. It is worked out by the rule of pi-lcm: the newest summary of each depth, the deepest first, then what was not compacted. Which messages Pi itself kept, and the list of summary ids that pi-lcm adds, are not in the file.',
    'Messages with the same role, millisecond and first 200 characters were stored once: such repetitions are lost.',
    'When and why the conversation was compacted is not recorded.',
  ],
  views,
  prepare,
}

function prepare({ db, probe }: Source): void {
  haveDerivedTables(db)
  db.exec(STATE)
  const { last, isMoved } = readConversations(db, probe)
  db.run(messages(probe), { last })
  indexDerived(db, 'messages')
  const stamp = lineageStamp(db, probe)
  const isKept = last !== BEFORE_ALL && db.value(queries.lineage) === stamp && !db.value(queries.hasMissingSource)
  if (!isKept) {
    clearDerived(db, 'lineage')
    if (probe.has('summaries')) db.run(summaries(probe))
    db.run(links(probe).messages)
    db.run(links(probe).summaries)
    indexDerived(db, 'lineage')
    db.run(queries.forgetLineage)
    db.run(queries.keepLineage, { stamp })
  }
  const hasMark = probe.has('messages', 'is_compacted')
  if (isKept && !isMoved) followPiWindows(db, hasMark, last)
  else fillPiWindows(db, hasMark)
}

/**
 * Fills the conversations. Messages that are known stay, under the number that their conversation has now: that of one
 * whose row is gone is another.
 * @returns the last message that is known, and whether any stands under another number than before
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

/** The last message that is known, when every conversation still has the same ones up to there; else all is forgotten. */
function lastKnown(db: PreparableDb, probe: SchemaProbe): number {
  const last = db.value<number>(queries.last) ?? BEFORE_ALL
  db.run(queries.forgetThreads)
  db.run(threads(probe), { last })
  // Row numbers are used again when the newest row is deleted: its UUID tells.
  const isSame =
    last !== BEFORE_ALL &&
    db.value(queries.storedId, { id: last }) === db.value(queries.knownId, { id: last }) &&
    !db.value(queries.hasOtherMessages)
  if (isSame) return last
  forgetDerivedMessages(db)
  return BEFORE_ALL
}

/** What the summaries and their links were when they were read. */
const STATE = /* sql */ `
CREATE TEMP TABLE IF NOT EXISTS pi_lineage (stamp TEXT NOT NULL);
-- Messages of the file by what they say of their conversation; counts and sums go up to the last that was known.
CREATE TEMP TABLE IF NOT EXISTS pi_threads (
  key      TEXT PRIMARY KEY,
  first    INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  numbers  REAL NOT NULL
) WITHOUT ROWID;
-- What the numbers of the conversations were.
CREATE TEMP TABLE IF NOT EXISTS pi_numbers (conversation_id INTEGER PRIMARY KEY, key TEXT NOT NULL);
${PI_WINDOW_TABLES}`

/** Changes with whatever summaries and links are made from; the links of a summary come as one value. */
function lineageStamp(db: PreparableDb, probe: SchemaProbe): string {
  const hash = startSha1()
  const add = (sql: string): void => {
    for (const row of db.iterateRaw<SqlValue[]>(sql)) hash.update(JSON.stringify(row))
  }
  add(/* sql */ `SELECT conversation_id, key FROM temp.derived_conversations ORDER BY conversation_id`)
  const column = columnsOf(probe, 'summaries', 's')
  const facts = ['id', 'conversation_id', 'depth', 'token_estimate', 'created_at'].map((name) => column(name))
  if (probe.has('summaries'))
    add(/* sql */ `SELECT s.rowid, ${facts.join(', ')} FROM main.summaries AS s ORDER BY s.rowid`)
  const source = columnsOf(probe, 'summary_sources', 'e')
  // quote() tells a number from a text, and where one value ends.
  const link = ['source_type', 'source_id', 'seq'].map((name) => `quote(${source(name)})`).join(' || ')
  add(/* sql */ `
    SELECT summary_id, group_concat(link) FROM (
      SELECT ${source('summary_id')} AS summary_id, e.rowid || ' ' || ${link} AS link FROM main.summary_sources AS e
      ORDER BY e.rowid
    ) GROUP BY summary_id`)
  return hash.digest('hex')
}

const queries = {
  hasMetadata: /* sql */ `SELECT 1 FROM pragma_table_info('_metadata', 'main') WHERE name = 'value'`,
  project: /* sql */ `SELECT CAST(value AS TEXT) FROM main._metadata WHERE key = 'cwd'`,
  version: /* sql */ `SELECT CAST(max(version) AS INTEGER) FROM main._schema_version`,
  knownId: /* sql */ `SELECT external_id FROM temp.derived_messages WHERE message_id = :id`,
  storedId: /* sql */ `SELECT CAST(id AS TEXT) FROM main.messages WHERE rowid = :id`,
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
  /** What belongs to a conversation that is not in the file is shown as one of its own. */
  ofMessages: /* sql */ `
    INSERT OR IGNORE INTO temp.derived_conversations (conversation_id, key, session_id)
    SELECT ${STAND_IN} + first, key, key FROM temp.pi_threads
    WHERE key NOT IN (SELECT k.key FROM temp.derived_conversations AS k)`,
  lineage: /* sql */ `SELECT stamp FROM temp.pi_lineage`,
  forgetLineage: /* sql */ `DELETE FROM temp.pi_lineage`,
  keepLineage: /* sql */ `INSERT INTO temp.pi_lineage (stamp) VALUES (:stamp)`,
  /** It may have come since. */
  hasMissingSource: /* sql */ `SELECT 1 FROM temp.derived_summary_messages WHERE message_id >= ${STAND_IN} LIMIT 1`,
}

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
    INSERT OR IGNORE INTO temp.derived_messages (message_id, conversation_id, seq, role, token_count, created_at, external_id)
    SELECT m.rowid, c.conversation_id, ${asCount(column('seq', 'm.rowid'))},
      CASE
        WHEN ${role} IN ('user', 'assistant', 'system', 'tool') THEN ${role}
        WHEN ${role} IN (${RESULT_ROLES}) THEN 'tool'
        WHEN ${role} IN ('custom', ${PI_SUMMARY_ROLES}) THEN 'user'
        ELSE 'system' END,
      ${asCount(column('token_estimate'))}, CAST(${column('timestamp')} AS INTEGER), CAST(${column('id')} AS TEXT)
    FROM main.messages AS m
    JOIN temp.derived_conversations AS c ON c.key = ${asText(column('conversation_id'))}
    WHERE m.rowid > :last`
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

/** A source that is not in the file keeps its place in the list, under a number that no message has. */
function links(probe: SchemaProbe): { messages: string; summaries: string } {
  const column = columnsOf(probe, 'summary_sources', 'e')
  const ordinal = asCount(column('seq', 'e.rowid'))
  const [summary, source] = [asId(column('summary_id')), column('source_id')]
  return {
    messages: /* sql */ `
      INSERT INTO temp.derived_summary_messages (summary_id, message_id, ordinal)
      SELECT ${summary}, coalesce(d.message_id, ${STAND_IN} + e.rowid), ${ordinal}
      FROM main.summary_sources AS e
      LEFT JOIN temp.derived_messages AS d ON d.external_id = CAST(${source} AS TEXT)
      WHERE e.source_type = 'message' AND ${summary} IS NOT NULL`,
    summaries: /* sql */ `
      INSERT INTO temp.derived_summary_sources (summary_id, source_summary_id, ordinal)
      SELECT ${summary}, ${asId(source)}, ${ordinal}
      FROM main.summary_sources AS e
      WHERE e.source_type = 'summary' AND ${summary} IS NOT NULL AND ${asId(source)} IS NOT NULL`,
  }
}

function views(probe: SchemaProbe): string {
  requireRowids(probe, 'pi-lcm', ['conversations', 'messages', 'summaries', 'summary_sources'])
  const text = (table: string, column: string, row: string): string =>
    probe.has(table, column) ? `(SELECT ${asText(`t.${column}`)} FROM main.${table} AS t WHERE t.rowid = ${row})` : `''`
  return [
    derivedViews({
      importer: 'pi-lcm',
      messageContent: text('messages', 'content_text', 'd.message_id'),
      summaryContent: text('summaries', 'text', 's.summary_rowid'),
    }),
    piPartsView(probe),
    MESSAGE_TEXT_VIEW,
  ].join('')
}
