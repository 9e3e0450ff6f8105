import { startSha1 } from '#core/hashing.ts'
import type { SqlValue } from '#core/sqlite/read-db.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { isExactInteger } from '#core/sqlite/shown-values.ts'
import { textTimeMs } from '../deriving/canonical.ts'
import {
  BEFORE_ALL,
  clearDerived,
  haveDerivedTables,
  inPieces,
  inRanges,
  lastDerivedMessage,
  STAND_IN,
} from '../deriving/derived-tables.ts'
import { asCount, asText, columnsOf } from '../deriving/derived-views.ts'
import type { Source } from '../system.ts'
import { ARGENTOS_WINDOW_TABLES, fillingArgentosWindows } from './window.ts'

/** How a list of blocks is written that begins with a text. */
const BEGINS_AS_TEXT = '[{"type":"text"'

/** A text that was made without a model begins with this. */
const MADE_WITHOUT_MODEL = '[Deterministic summary of '

const SUMMARISER_SESSION = `session-${'[0-9]'.repeat(13)}`
const SUMMARISER_NOTE =
  'A session that the summariser of ArgentOS opened for itself: its own prompts and answers, and messages of the real conversation that were filed here by mistake.'

/** Brings the TEMP tables in step with the file. */
export function* derivingArgentos({ db, probe, isStill }: Source): Generator<void> {
  haveDerivedTables(db)
  const has = (table: string, ...columns: readonly string[]): boolean =>
    probe.has(table) && columns.every((column) => probe.has(table, column))
  db.exec(TABLES)
  const last = lastDerivedMessage(
    db,
    (count, id) => has('messages', 'id') && db.value(queries.countUpTo, { id }) === count,
  )
  if (last === BEFORE_ALL) db.run(queries.forgetCalls)
  db.run(queries.forgetSessionsWithoutMessages)
  if (has('messages', 'id', 'session_id')) yield* fillingMessages(db, probe, last)
  for (const table of ['summaries', 'context_items', 'large_files'] as const) {
    if (has(table, 'session_id')) db.run(queries.sessionsWithoutMessages(table))
  }
  db.run(queries.note, { pattern: SUMMARISER_SESSION, note: SUMMARISER_NOTE })
  yield* fillingLineage({ db, probe, isStill }, has)
  if (has('context_items', 'session_id', 'kind', 'position', 'ref_id')) yield* fillingArgentosWindows(db, probe)
}

type Has = (table: string, ...columns: readonly string[]) => boolean

/** Fills summaries and their links, unless they are what they were when that was last done. */
function* fillingLineage({ db, probe, isStill }: Omit<Source, 'realPath'>, has: Has): Generator<void> {
  const rows = has('summaries', 'id') ? summaries(probe) : null
  const links = {
    messages: has('summary_messages', 'summary_id', 'message_id'),
    sources: has('summary_sources', 'summary_id', 'source_id'),
  }
  const state = isStill ? '' : lineageState(db, rows && summaries(probe, 'NULL'), links)
  yield
  if (db.value(queries.lineage) === state) return
  clearDerived(db, 'lineage')
  if (rows) db.run(queries.fillSummaries(rows))
  if (links.messages) yield* fillingMessageSources(db, probe)
  if (links.sources) db.run(queries.summarySources)
  db.run(queries.forgetLineage)
  db.run(queries.keepLineage, { state })
}

/** @param texts summaries without their numbers: one may be too large to be told exactly */
function lineageState(
  db: Source['db'],
  texts: string | null,
  links: { readonly messages: boolean; readonly sources: boolean },
): string {
  const hash = startSha1()
  for (const row of texts ? db.iterateRows(texts) : []) hash.update(JSON.stringify(row))
  if (links.messages) hash.update(String(db.value(queries.linksState('summary_messages', 'message_id'))))
  if (links.sources) hash.update(String(db.value(queries.linksState('summary_sources', 'source_id'))))
  return hash.digest('hex')
}

function* fillingMessageSources(db: Source['db'], probe: SchemaProbe): Generator<void> {
  if (!probe.isIndexed('summary_messages', 'summary_id')) {
    db.run(queries.messageSources('1'))
    return
  }
  const isNumber = isExactInteger('summary_id')
  yield* inPieces(
    db,
    (summary) => db.value(queries.linksEnd, { last: summary }),
    BEFORE_ALL,
    (piece) => db.run(queries.messageSources(`summary_id > :last AND summary_id <= :end AND ${isNumber}`), piece),
  )
  db.run(queries.messageSources(`NOT (${isNumber})`))
  yield
}

/** Links between two yields; the links of one summary stay together. */
const LINKS_AT_ONCE = 2000

const TABLES = /* sql */ `
${ARGENTOS_WINDOW_TABLES}
-- Ids of calls that are stored as blocks.
CREATE TEMP TABLE IF NOT EXISTS argentos_calls (call_id TEXT PRIMARY KEY) WITHOUT ROWID;
-- What the summaries and their links were when they were read.
CREATE TEMP TABLE IF NOT EXISTS argentos_lineage (state TEXT NOT NULL);
`

const queries = {
  /** All are counted by the smallest index; those up to a number would be counted by the table, with its texts. */
  countUpTo: /* sql */ `
    SELECT (SELECT count(*) FROM main.messages) - (SELECT count(*) FROM main.messages WHERE id > :id)
      - (SELECT count(*) FROM main.messages WHERE id IS NULL)`,
  forgetCalls: /* sql */ `DELETE FROM temp.argentos_calls`,
  forgetSessionsWithoutMessages: /* sql */ `
    DELETE FROM temp.derived_conversations WHERE conversation_id >= ${STAND_IN}`,
  // Numbered as they first appear, so that a session that comes later changes no number.
  sessions: /* sql */ `
    INSERT INTO temp.derived_conversations (conversation_id, key, session_id, logical_key)
    SELECT (SELECT count(*) FROM temp.derived_conversations) + row_number() OVER (ORDER BY min(first)), session, session, session
    FROM (
      SELECT ${asText('m.session_id')} AS session, min(m.id) AS first FROM main.messages AS m
      WHERE m.id > :last AND typeof(m.id) = 'integer'
      GROUP BY m.session_id
    )
    WHERE session NOT IN (SELECT key FROM temp.derived_conversations)
    GROUP BY session`,
  lengths: /* sql */ `
    SELECT c.conversation_id,
      coalesce((SELECT max(d.seq) + 1 FROM temp.derived_messages AS d WHERE d.conversation_id = c.conversation_id), 0)
    FROM temp.derived_conversations AS c`,
  lineage: /* sql */ `SELECT state FROM temp.argentos_lineage`,
  forgetLineage: /* sql */ `DELETE FROM temp.argentos_lineage`,
  keepLineage: /* sql */ `INSERT INTO temp.argentos_lineage (state) VALUES (:state)`,
  /** Numbers are added up in three ways; what is none is written out. */
  linksState: (table: 'summary_messages' | 'summary_sources', target: 'message_id' | 'source_id') => /* sql */ `
    SELECT count(*) || ' ' || total(summary_id) || ' ' || total(${target}) || ' ' ||
      total((summary_id % 65521) * (${target} % 65521)) || ' ' || total((summary_id % 8191) * (${target} % 131071)) || ' ' ||
      coalesce(group_concat(CASE WHEN typeof(summary_id) <> 'integer' OR typeof(${target}) <> 'integer'
        THEN quote(summary_id) || quote(${target}) END), '')
    FROM main.${table}`,
  fillSummaries: (rows: string) => /* sql */ `
    INSERT OR IGNORE INTO temp.derived_summaries
      (summary_rowid, summary_id, conversation_id, kind, depth, token_count, created_at, level)
    ${rows}`,
  next: /* sql */ `SELECT min(m.id) FROM main.messages AS m WHERE m.id > :last AND typeof(m.id) = 'integer'`,
  /**
   * Every result of a tool is stored under role assistant, with the id of its call. A list that begins with a text is not
   * parsed: what stands behind that does not matter here. The LIMIT has the rows come in their order, in which
   * `argentos_seq` counts them.
   */
  messages: (column: (name: string) => string) => {
    const [callId, blocks] = [column('tool_call_id'), column('content_blocks')]
    return /* sql */ `
    INSERT OR IGNORE INTO temp.derived_messages (message_id, conversation_id, seq, role, token_count, created_at)
    SELECT id, conversation, argentos_seq(conversation, id), role, tokens, created_at
    FROM (
      SELECT m.id, c.conversation_id AS conversation,
        CASE
          WHEN ${callId} IS NOT NULL AND coalesce(instr(${blocks}, '"tool_use"'), 0) = 0 THEN 'tool'
          WHEN substr(${blocks}, 1, ${BEGINS_AS_TEXT.length}) <> '${BEGINS_AS_TEXT}'
            AND iif(json_valid(${blocks}), json_extract(${blocks}, '$[0].type'), NULL) = 'tool_result' THEN 'tool'
          WHEN ${column('role')} IN ('user', 'assistant', 'system', 'tool') THEN ${column('role')}
          ELSE 'system' END AS role,
        ${asCount(column('token_count'))} AS tokens, ${textTimeMs(column('created_at'))} AS created_at
      FROM main.messages AS m CROSS JOIN temp.derived_conversations AS c ON c.key = ${asText('m.session_id')}
      WHERE m.id > :last AND m.id <= :end AND typeof(m.id) = 'integer'
      ORDER BY m.id
      LIMIT -1
    )`
  },
  /** GLOB looks through long texts five times as fast as instr(). */
  calls: /* sql */ `
    INSERT OR IGNORE INTO temp.argentos_calls (call_id)
    SELECT json_extract(e.value, '$.id')
    FROM main.messages AS m
    JOIN json_each(iif(json_valid(m.content_blocks), m.content_blocks, '[]')) AS e
    WHERE m.id > :last AND m.id <= :end AND m.content_blocks GLOB '*"tool_use"*' AND e.type = 'object'
      AND json_extract(e.value, '$.type') = 'tool_use' AND json_extract(e.value, '$.id') IS NOT NULL`,
  sessionsWithoutMessages: (table: 'summaries' | 'context_items' | 'large_files') => /* sql */ `
    INSERT OR IGNORE INTO temp.derived_conversations (conversation_id, key, session_id, logical_key)
    SELECT ${STAND_IN} + (SELECT count(*) FROM temp.derived_conversations WHERE conversation_id >= ${STAND_IN})
        + row_number() OVER (ORDER BY session), session, session, session
    FROM (SELECT DISTINCT ${asText('session_id')} AS session FROM main.${table})
    WHERE session NOT IN (SELECT key FROM temp.derived_conversations)`,
  note: /* sql */ `
    UPDATE temp.derived_conversations SET note = :note WHERE note IS NULL AND session_id GLOB :pattern`,
  linksEnd: /* sql */ `
    SELECT max(summary_id) FROM (
      SELECT summary_id FROM main.summary_messages
      WHERE summary_id > :last AND typeof(summary_id) = 'integer' ORDER BY summary_id LIMIT ${LINKS_AT_ONCE}
    )`,
  messageSources: (of: string) => /* sql */ `
    INSERT INTO temp.derived_summary_messages (summary_id, message_id, ordinal)
    SELECT CAST(summary_id AS TEXT), message_id, row_number() OVER (PARTITION BY summary_id ORDER BY message_id) - 1
    FROM main.summary_messages
    WHERE ${of} AND summary_id IS NOT NULL AND message_id IS NOT NULL
      AND (typeof(message_id) <> 'integer' OR ${isExactInteger('message_id')})`,
  summarySources: /* sql */ `
    INSERT INTO temp.derived_summary_sources (summary_id, source_summary_id, ordinal)
    SELECT CAST(summary_id AS TEXT), CAST(source_id AS TEXT), row_number() OVER (PARTITION BY summary_id ORDER BY source_id) - 1
    FROM main.summary_sources
    WHERE summary_id IS NOT NULL AND source_id IS NOT NULL`,
}

/** Adds the messages after the last that is known, a piece at a time. */
function* fillingMessages(db: Source['db'], probe: SchemaProbe, last: number): Generator<void> {
  db.run(queries.sessions, { last })
  const lengths = new Map(db.rows<[SqlValue, number]>(queries.lengths))
  let before: SqlValue = null
  db.define('argentos_seq', (conversation = null, id = null) => {
    // A number that stands twice is one message.
    const seq = (lengths.get(conversation) ?? 0) - (id === before ? 1 : 0)
    before = id
    lengths.set(conversation, seq + 1)
    return seq
  })
  const messages = queries.messages(columnsOf(probe, 'messages', 'm'))
  yield* inRanges(
    db,
    (id) => db.value(queries.next, { last: id }),
    last,
    (range) => {
      if (probe.has('messages', 'content_blocks')) db.run(queries.calls, range)
      return db.run(messages, range)
    },
  )
}

function summaries(probe: SchemaProbe, number = 's.id'): string {
  const column = columnsOf(probe, 'summaries', 's')
  return /* sql */ `
    SELECT ${number}, CAST(s.id AS TEXT), c.conversation_id, iif(${asCount(column('depth'))} = 0, 'leaf', 'condensed'),
      ${asCount(column('depth'))}, ${asCount(column('token_count'))}, ${textTimeMs(column('created_at'))},
      iif(substr(${column('content')}, 1, ${MADE_WITHOUT_MODEL.length}) = '${MADE_WITHOUT_MODEL}', 'deterministic', 'unknown')
    FROM main.summaries AS s
    LEFT JOIN temp.derived_conversations AS c ON c.key = ${asText(column('session_id'))}
    WHERE ${isExactInteger('s.id')}`
}
