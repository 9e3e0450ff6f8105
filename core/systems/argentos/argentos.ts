import { join } from 'node:path'
import type { SchemaProbe } from '../../sqlite/schema-probe.ts'
import { MESSAGE_TEXT_VIEW, textTimeMs, view } from '../canonical.ts'
import { indexDerived, lastDerivedMessage, makeDerivedTables, STAND_IN } from '../derived-tables.ts'
import { asCount, asText, columnsOf, derivedViews, schemaLabel } from '../derived-views.ts'
import { blockColumns, withFirst } from '../json-blocks.ts'
import type { ForeignSystem, Source } from '../system.ts'
import { indexOfMessages } from '../system-facts.ts'
import { unshownRows } from '../unshown-rows.ts'
import { facts, knownExceptions, preset, valueRules } from './facts.ts'
import { ownRules } from './own-rules.ts'

/** Around the summaries that this system puts before a user's message, and later stores as a part of it. */
const INJECTED_START = '[LCM Context — Compressed History]'
const INJECTED_END = '[End LCM Compressed History]'

/** Of a text made without a model; stands at its start. */
const MADE_WITHOUT_MODEL = '[Deterministic summary of '

const SUMMARISER_SESSION = `session-${'[0-9]'.repeat(13)}`
const SUMMARISER_NOTE =
  'A session that the summariser of ArgentOS opened for itself: its own prompts and answers, and messages of the real conversation that were filed here by mistake.'

/** Sessions are conversations. Messages and summaries are numbered apart; a summary's id here is its number as text. */
export const argentos: ForeignSystem = {
  id: 'argentos',
  facts,
  valueRules,
  ownIndexes: [indexOfMessages('t.id', 't.content')],
  tokenRules: [(text) => Math.ceil(text.length / 4)],
  knownExceptions,
  ownRules,
  preset,
  places: ({ home }) => [{ path: join(home, '.argentos', 'lcm.db'), label: 'ArgentOS' }],
  summaries: 'replace',
  ledger: null,
  label: () => 'ArgentOS',
  detect: (probe) =>
    probe.has('lcm_meta') &&
    probe.has('context_items', 'ref_id') &&
    probe.has('summaries', 'condensed') &&
    !probe.has('conversations'),
  version: (probe, { db }) =>
    probe.has('lcm_meta', 'value') && probe.has('lcm_meta', 'key') ? schemaLabel(db.value(queries.version)) : null,
  capabilities: (probe) => ({
    parts: true,
    files: probe.has('large_files'),
    fileContents: false,
    runs: false,
    storedWindow: true,
    chronologicalWindow: false,
    sourceOrder: false,
    levels: false,
    fullTextIndex: false,
    substringIndex: false,
  }),
  lacks: (_probe, source) => [
    ...unshownRows(source, {
      messages: /* sql */ 'SELECT count(*) FROM temp.derived_messages',
      summaries: /* sql */ 'SELECT count(*) FROM temp.derived_summaries',
      summary_messages: /* sql */ 'SELECT count(*) FROM temp.derived_summary_messages',
      summary_sources: /* sql */ 'SELECT count(*) FROM temp.derived_summary_sources',
      context_items: /* sql */ 'SELECT count(*) FROM temp.derived_context_items',
    }),
    'The window is stored with each new summary behind the newest message of its time, not where the history stood that it replaced; ArgentOS itself sends all summaries first, then the messages.',
    'Sources are stored without an order: they are shown in that of their numbers.',
    'Tool calls are stored as text, so that a result cannot be joined to its call.',
    'The contents of large files are stored nowhere: there is their name, size and exploration summary.',
    'When and why the window was compacted is not recorded.',
  ],
  views,
  prepare,
}

function prepare({ db, probe }: Source): void {
  makeDerivedTables(db)
  const has = (table: string, ...columns: readonly string[]): boolean =>
    probe.has(table) && columns.every((column) => probe.has(table, column))
  db.exec(TABLES)
  const last = lastDerivedMessage(
    db,
    (count, id) =>
      has('messages', 'id') &&
      db.value(/* sql */ `SELECT count(*) FROM main.messages WHERE id <= :id`, { id }) === count,
  )
  db.run(queries.forgetSessionsWithoutMessages)
  if (has('messages', 'id', 'session_id')) {
    db.run(added(probe), { last })
    db.run(queries.sessions)
    db.run(queries.messages)
    if (probe.has('messages', 'content_blocks')) db.run(queries.calls)
  }
  for (const table of ['summaries', 'context_items', 'large_files']) {
    if (has(table, 'session_id')) db.run(sessionsWithoutMessages(table))
  }
  db.exec(/* sql */ 'DELETE FROM temp.argentos_added')
  indexDerived(db, 'messages')
  db.run(queries.note, { pattern: SUMMARISER_SESSION, note: SUMMARISER_NOTE })
  if (has('summaries', 'id')) db.run(summaries(probe))
  if (has('summary_messages', 'summary_id', 'message_id')) db.run(queries.messageSources)
  if (has('summary_sources', 'summary_id', 'source_id')) db.run(queries.summarySources)
  indexDerived(db, 'lineage')
  if (has('context_items', 'session_id', 'kind', 'position')) db.run(queries.window)
  indexDerived(db, 'window')
}

/** Ids of calls that are stored as blocks; and messages that came since the last look. */
const TABLES = /* sql */ `
CREATE TEMP TABLE IF NOT EXISTS argentos_calls (call_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS argentos_added (
  message_id  INTEGER PRIMARY KEY,
  session     TEXT NOT NULL,
  role        TEXT NOT NULL,
  token_count INTEGER NOT NULL,
  created_at  INTEGER,
  has_blocks  INTEGER NOT NULL
);
DELETE FROM temp.argentos_added;
`

const queries = {
  version: /* sql */ `SELECT CAST(value AS INTEGER) FROM main.lcm_meta WHERE key = 'schema_version'`,
  forgetSessionsWithoutMessages: /* sql */ `
    DELETE FROM temp.derived_conversations WHERE conversation_id >= ${STAND_IN}`,
  // Numbered as they first appear, so that a session that comes later changes no number.
  sessions: /* sql */ `
    INSERT OR IGNORE INTO temp.derived_conversations (conversation_id, key, session_id, logical_key)
    SELECT (SELECT count(*) FROM temp.derived_conversations) + row_number() OVER (ORDER BY first), session, session, session
    FROM (SELECT session, min(message_id) AS first FROM temp.argentos_added GROUP BY session)
    WHERE session NOT IN (SELECT key FROM temp.derived_conversations)`,
  messages: /* sql */ `
    INSERT OR IGNORE INTO temp.derived_messages (message_id, conversation_id, seq, role, token_count, created_at)
    SELECT a.message_id, c.conversation_id,
      coalesce((SELECT max(d.seq) + 1 FROM temp.derived_messages AS d WHERE d.conversation_id = c.conversation_id), 0)
        + row_number() OVER (PARTITION BY c.conversation_id ORDER BY a.message_id) - 1,
      a.role, a.token_count, a.created_at
    FROM temp.argentos_added AS a
    JOIN temp.derived_conversations AS c ON c.key = a.session`,
  note: /* sql */ `
    UPDATE temp.derived_conversations SET note = :note WHERE note IS NULL AND session_id GLOB :pattern`,
  calls: /* sql */ `
    INSERT OR IGNORE INTO temp.argentos_calls (call_id)
    SELECT json_extract(e.value, '$.id')
    FROM temp.argentos_added AS a
    JOIN main.messages AS m ON m.id = a.message_id
    JOIN json_each(iif(json_valid(m.content_blocks), m.content_blocks, '[]')) AS e
    WHERE a.has_blocks = 1 AND e.type = 'object'
      AND json_extract(e.value, '$.type') = 'tool_use' AND json_extract(e.value, '$.id') IS NOT NULL`,
  messageSources: /* sql */ `
    INSERT INTO temp.derived_summary_messages (summary_id, message_id, ordinal)
    SELECT CAST(summary_id AS TEXT), message_id, row_number() OVER (PARTITION BY summary_id ORDER BY message_id) - 1
    FROM main.summary_messages
    WHERE summary_id IS NOT NULL AND message_id IS NOT NULL`,
  summarySources: /* sql */ `
    INSERT INTO temp.derived_summary_sources (summary_id, source_summary_id, ordinal)
    SELECT CAST(summary_id AS TEXT), CAST(source_id AS TEXT), row_number() OVER (PARTITION BY summary_id ORDER BY source_id) - 1
    FROM main.summary_sources
    WHERE summary_id IS NOT NULL AND source_id IS NOT NULL`,
  // Places only grow: the numbers of what was compacted away are never used again, which is no gap.
  window: /* sql */ `
    INSERT INTO temp.derived_context_items (conversation_id, ordinal, item_type, message_id, summary_id)
    SELECT c.conversation_id, dense_rank() OVER (PARTITION BY c.conversation_id ORDER BY i.position) - 1,
      CAST(i.kind AS TEXT), iif(i.kind = 'message', i.ref_id, NULL), iif(i.kind = 'summary', CAST(i.ref_id AS TEXT), NULL)
    FROM main.context_items AS i
    JOIN temp.derived_conversations AS c ON c.key = ${asText('i.session_id')}
    WHERE i.kind IS NOT NULL`,
}

const sessionsWithoutMessages = (table: string): string => /* sql */ `
  INSERT OR IGNORE INTO temp.derived_conversations (conversation_id, key, session_id, logical_key)
  SELECT ${STAND_IN} + (SELECT count(*) FROM temp.derived_conversations WHERE conversation_id >= ${STAND_IN})
      + row_number() OVER (ORDER BY session), session, session, session
  FROM (SELECT DISTINCT ${asText('session_id')} AS session FROM main.${table})
  WHERE session NOT IN (SELECT key FROM temp.derived_conversations)`

/**
 * What was added is read once: in this system's rows the small columns stand behind the texts. Every result of a tool
 * is stored under role assistant, with the id of its call.
 */
function added(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'messages', 'm')
  const callId = column('tool_call_id')
  const blocks = column('content_blocks')
  return /* sql */ `
    INSERT OR IGNORE INTO temp.argentos_added (message_id, session, role, token_count, created_at, has_blocks)
    SELECT m.id, ${asText('m.session_id')},
      CASE
        WHEN ${callId} IS NOT NULL AND coalesce(instr(${blocks}, '"tool_use"'), 0) = 0 THEN 'tool'
        WHEN iif(json_valid(${blocks}), json_extract(${blocks}, '$[0].type'), NULL) = 'tool_result' THEN 'tool'
        WHEN ${column('role')} IN ('user', 'assistant', 'system', 'tool') THEN ${column('role')}
        ELSE 'system' END,
      ${asCount(column('token_count'))}, ${textTimeMs(column('created_at'))}, ${blocks} IS NOT NULL
    FROM main.messages AS m
    WHERE m.id > :last AND typeof(m.id) = 'integer'`
}

function summaries(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'summaries', 's')
  return /* sql */ `
    INSERT OR IGNORE INTO temp.derived_summaries
      (summary_rowid, summary_id, conversation_id, kind, depth, token_count, created_at, level)
    SELECT s.id, CAST(s.id AS TEXT), c.conversation_id, iif(${asCount(column('depth'))} = 0, 'leaf', 'condensed'),
      ${asCount(column('depth'))}, ${asCount(column('token_count'))}, ${textTimeMs(column('created_at'))},
      iif(substr(${column('content')}, 1, ${MADE_WITHOUT_MODEL.length}) = '${MADE_WITHOUT_MODEL}', 'deterministic', 'unknown')
    FROM main.summaries AS s
    LEFT JOIN temp.derived_conversations AS c ON c.key = ${asText(column('session_id'))}
    WHERE typeof(s.id) = 'integer'`
}

function views(probe: SchemaProbe): string {
  const text = (table: string, row: string): string =>
    probe.has(table, 'content') && probe.has(table, 'id')
      ? `(SELECT ${asText('t.content')} FROM main.${table} AS t WHERE t.id = ${row})`
      : `''`
  return [
    derivedViews({
      importer: 'argentos',
      messageContent: text('messages', 'd.message_id'),
      summaryContent: text('summaries', 's.summary_rowid'),
    }),
    partsView(probe),
    MESSAGE_TEXT_VIEW,
    filesView(probe),
  ].join('')
}

function partsView(probe: SchemaProbe): string {
  if (!probe.has('messages', 'id')) return view('message_parts', {}, null)
  const column = columnsOf(probe, 'messages', 'm')
  const [callId, stored, content] = [column('tool_call_id'), column('content_blocks'), column('content', `''`)]
  const blocks = `iif(json_valid(${stored}), iif(json_type(${stored}) = 'array', ${stored}, NULL), NULL)`
  const injectedEnd = `instr(${content}, '${INJECTED_END}')`
  const array = `CASE
    WHEN ${callId} IS NOT NULL AND coalesce(instr(${stored}, '"tool_'), 0) = 0
      THEN ${withFirst('{"type":"lcm:result"}', blocks)}
    WHEN coalesce(json_array_length(${blocks}), 0) > 0 THEN ${stored}
    WHEN ${column('role')} = 'user' AND substr(${content}, 1, ${INJECTED_START.length}) = '${INJECTED_START}' AND ${injectedEnd} > 0
      THEN '[{"type":"lcm:injected"},{"type":"lcm:rest"}]'
    ELSE '[]' END`
  const columns = blockColumns('m.id', content, {
    // The id is given as one only where there is a call that it could be joined to.
    'lcm:result': {
      part_type: `'tool'`,
      is_content: '1',
      tool_call_id: `(SELECT k.call_id FROM temp.argentos_calls AS k WHERE k.call_id = ${callId})`,
      metadata: `json_object('toolCallId', CAST(${callId} AS TEXT))`,
    },
    'lcm:injected': {
      part_type: `'compaction'`,
      is_synthetic: '1',
      text_content: `substr(${content}, 1, ${injectedEnd} + ${INJECTED_END.length - 1})`,
      metadata: `'{"reingested":true}'`,
    },
    'lcm:rest': {
      part_type: `'text'`,
      text_content: `ltrim(substr(${content}, ${injectedEnd} + ${INJECTED_END.length}), char(10))`,
    },
  })
  return view(
    'message_parts',
    { ...columns, session_id: asText(column('session_id')) },
    `main.messages AS m, json_each(${array}) AS e`,
  )
}

/** Their numbers are also those of summaries: a word before them tells them apart. */
function filesView(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'large_files', 'f')
  return view(
    'large_files',
    {
      file_id: `'file_' || ${column('id', 'f.rowid')}`,
      conversation_id: `(SELECT c.conversation_id FROM temp.derived_conversations AS c WHERE c.key = ${asText(column('session_id'))})`,
      file_name: `CAST(${column('file_path')} AS TEXT)`,
      content_hash: `CAST(${column('content_hash')} AS TEXT)`,
      storage_uri: `''`,
      exploration_summary: `CAST(${column('exploration_summary')} AS TEXT)`,
      created_at: textTimeMs(column('stored_at')),
    },
    probe.has('large_files') ? 'main.large_files AS f' : null,
  )
}
