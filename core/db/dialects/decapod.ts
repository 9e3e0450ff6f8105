import type { SchemaProbe } from '../schema-probe.ts'
import { MESSAGE_TEXT_VIEW, requireRowids, textTimeMs, view } from './canonical.ts'
import { ledgerPath, ledgerState, readLedger } from './decapod-ledger.ts'
import {
  asCount,
  asId,
  asText,
  columnsOf,
  derivedViews,
  forgetDerivedMessages,
  indexDerived,
  makeDerivedTables,
  STAND_IN,
} from './derived-tables.ts'
import type { Dialect, Source } from './dialect.ts'

/** The title of what was recorded without a session. */
const NO_SESSION = ''

/**
 * The database is an index; what was said stands in the ledger beside it, and is fetched from there. A message is an
 * original: a content that stands in the ledger several times is one message, of the first session that it was said in.
 */
export const decapod: Dialect = {
  system: 'decapod',
  label: () => 'decapod',
  detect: (probe) =>
    probe.has('originals_index') && probe.has('summaries', 'summary_hash') && probe.has('summaries', 'original_hashes'),
  reader: {
    version: () => null,
    capabilities: () => ({
      parts: true,
      files: false,
      runs: false,
      storedWindow: false,
      derivedWindow: 'decapod keeps no window and has no rule for one: every message is in it.',
      freeSummaries: true,
      levels: true,
      fullTextIndex: false,
      substringIndex: false,
    }),
    lacks,
    views,
    prepare,
    companions: (realPath) => [ledgerPath(realPath)],
  },
}

function lacks(_probe: SchemaProbe, { db, realPath }: Source): string[] {
  return [
    ...ledgerFacts(db, realPath),
    'No window is stored and decapod has no rule for one: every message is shown as if it were in it.',
    'Summaries stand side by side: none is made of others, they overlap, and those of everything go over several sessions.',
    'Tool calls are not recorded, and a result does not name its call.',
  ]
}

type Counts = { readonly indexed: number; readonly unread: number; readonly unlisted: number }

function ledgerFacts(db: Source['db'], realPath: string): string[] {
  const ledger = ledgerState(db)
  const { indexed, unread, unlisted } = { indexed: 0, unread: 0, unlisted: 0, ...db.get<Counts>(queries.counts) }
  if (!ledger) {
    return [
      `The ledger ${ledgerPath(realPath)} is not there: what was said stands in it alone, so that all ${indexed} messages are shown without their text.`,
    ]
  }
  const facts = [
    `The ledger holds ${ledger.events} events; a content that was recorded again is one message, and the index lists ${indexed}.`,
  ]
  if (unlisted > 0) facts.push(`${unlisted} messages stand in the ledger and not in the index.`)
  if (unread > 0) facts.push(`${unread} messages that the index lists are shown without a text: the ledger lacks them.`)
  if (ledger.unreadable > 0) facts.push(`${ledger.unreadable} lines of the ledger cannot be read.`)
  return facts
}

function prepare({ db, probe, realPath }: Source): void {
  makeDerivedTables(db)
  readLedger(db, realPath)
  db.exec(ORIGINALS)
  forgetDerivedMessages(db)
  db.run(indexed(probe))
  db.run(queries.ledgerOnly)
  if (db.value(queries.hasUnplaced)) db.run(queries.placeByTime)
  db.run(queries.conversations)
  db.run(queries.conversationOfNone)
  db.run(queries.messages)
  indexDerived(db, 'messages')
  db.run(links(probe))
  indexDerived(db, 'lineage')
  db.run(summaries(probe))
  db.run(queries.window)
  indexDerived(db, 'window')
}

/** Every content once. `place` orders them: the line of the ledger, or where the time puts what has none. */
const ORIGINALS = /* sql */ `
CREATE TEMP TABLE IF NOT EXISTS decapod_originals (
  message_id INTEGER PRIMARY KEY,
  hash       TEXT NOT NULL UNIQUE,
  place      REAL NOT NULL,
  session_id TEXT NOT NULL,
  kind       TEXT NOT NULL,
  actor      TEXT NOT NULL,
  source     TEXT,
  event_id   TEXT,
  created_at INTEGER,
  byte_size  INTEGER NOT NULL,
  -- Of the line in the ledger; NULL where there is none.
  at         INTEGER,
  bytes      INTEGER
);
DELETE FROM temp.decapod_originals;
`

/** "<seconds>Z" is how this system writes times, ISO is what it calls it. */
const timeMs = (ts: string): string =>
  `iif(${ts} GLOB '[0-9]*Z' AND ${ts} NOT GLOB '*[^0-9Z]*', CAST(rtrim(${ts}, 'Z') AS INTEGER) * 1000, ${textTimeMs(ts)})`

function indexed(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'originals_index', 'o')
  const hash = asText(column('content_hash', 'o.rowid'))
  // Without any ledger there are only rows to number by; with one, what it does not hold must not take its numbers.
  return /* sql */ `
    INSERT OR IGNORE INTO temp.decapod_originals
      (message_id, hash, place, session_id, kind, actor, source, event_id, created_at, byte_size, at, bytes)
    SELECT
      coalesce(l.line, o.rowid + iif(EXISTS (SELECT 1 FROM temp.decapod_ledger), ${STAND_IN}, 0)),
      ${hash},
      coalesce(l.line, 0),
      coalesce(${asId(column('session_id'))}, l.session_id, '${NO_SESSION}'),
      ${asText(column('kind', 'l.kind'))}, ${asText(column('actor', 'l.actor'))}, l.source,
      ${asId(column('event_id', 'l.event_id'))}, ${timeMs(asText(column('ts', 'l.ts')))},
      ${asCount(column('byte_size', 'l.bytes'))}, l.at, l.bytes
    FROM main.originals_index AS o
    LEFT JOIN temp.decapod_ledger AS l
      ON l.line = (SELECT min(f.line) FROM temp.decapod_ledger AS f WHERE f.hash = ${hash})
    ORDER BY o.rowid`
}

const SUMMARY_ID = `coalesce(${asId('s.summary_hash')}, 'row_' || s.rowid)`

/** Everything of the system's own text is made without a model. */
function summaries(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'summaries', 's')
  return /* sql */ `
    INSERT OR IGNORE INTO temp.derived_summaries
      (summary_rowid, summary_id, conversation_id, kind, depth, token_count, created_at, level)
    SELECT s.rowid, ${SUMMARY_ID},
      -- It belongs where most of its sources do.
      coalesce(
        (SELECT d.conversation_id
          FROM temp.derived_summary_messages AS e JOIN temp.derived_messages AS d ON d.message_id = e.message_id
          WHERE e.summary_id = ${SUMMARY_ID}
          GROUP BY d.conversation_id ORDER BY count(*) DESC, min(e.ordinal) LIMIT 1),
        (SELECT max(c.conversation_id) FROM temp.derived_conversations AS c)
      ),
      'leaf', 0, ${asCount(column('token_estimate'))}, ${timeMs(asText(column('ts')))}, 'deterministic'
    FROM main.summaries AS s`
}

/** Sources by their hashes; a hash that nothing has keeps its place under a number that no message has. */
function links(probe: SchemaProbe): string {
  const hashes = columnsOf(probe, 'summaries', 's')('original_hashes')
  const list = `iif(json_valid(${hashes}), iif(json_type(${hashes}) = 'array', ${hashes}, '[]'), '[]')`
  return /* sql */ `
    INSERT INTO temp.derived_summary_messages (summary_id, message_id, ordinal)
    SELECT ${SUMMARY_ID},
      coalesce(o.message_id, ${2 * STAND_IN} + s.rowid * ${MOST_SOURCES} + min(e.key)), min(e.key)
    FROM main.summaries AS s
    JOIN json_each(${list}) AS e
    LEFT JOIN temp.decapod_originals AS o ON o.hash = CAST(e.value AS TEXT)
    GROUP BY s.rowid, e.value`
}

/** Enough to tell the missing sources of one summary from those of the next. */
const MOST_SOURCES = 1_000_000

const queries = {
  counts: /* sql */ `
    SELECT (SELECT count(*) FROM main.originals_index) AS indexed,
      (SELECT count(*) FROM temp.decapod_originals WHERE at IS NULL) AS unread,
      (SELECT count(*) FROM temp.decapod_originals) - (SELECT count(*) FROM main.originals_index) AS unlisted`,
  /** What the ledger holds and the index does not: an index that lags behind, or was never brought up to date. */
  ledgerOnly: /* sql */ `
    INSERT OR IGNORE INTO temp.decapod_originals
      (message_id, hash, place, session_id, kind, actor, source, event_id, created_at, byte_size, at, bytes)
    SELECT line, hash, line, coalesce(session_id, '${NO_SESSION}'), kind, actor, source, event_id, ${timeMs('ts')},
      coalesce(octet_length(decapod_text(at, bytes, hash)), 0), at, bytes
    FROM temp.decapod_ledger AS l
    WHERE NOT EXISTS (SELECT 1 FROM temp.decapod_originals AS o WHERE o.hash = l.hash)
    ORDER BY line`,
  hasUnplaced: /* sql */ `SELECT 1 FROM temp.decapod_originals WHERE at IS NULL LIMIT 1`,
  /** What has no line stands behind the last that was said by then. */
  placeByTime: /* sql */ `
    UPDATE temp.decapod_originals AS o
    SET place = p.place
    FROM (
      SELECT message_id, 0.5 + coalesce(max(iif(at IS NULL, NULL, place))
        OVER (ORDER BY created_at, at IS NULL, message_id ROWS UNBOUNDED PRECEDING), 0) AS place
      FROM temp.decapod_originals
    ) AS p
    WHERE o.at IS NULL AND p.message_id = o.message_id`,
  conversations: /* sql */ `
    INSERT INTO temp.derived_conversations (conversation_id, key, session_id, logical_key)
    SELECT row_number() OVER (ORDER BY min(place), session_id), session_id, session_id, nullif(session_id, '')
    FROM temp.decapod_originals
    GROUP BY session_id`,
  /** Summaries alone have to be somewhere. */
  conversationOfNone: /* sql */ `
    INSERT INTO temp.derived_conversations (conversation_id, key, session_id)
    SELECT 1, '${NO_SESSION}', '${NO_SESSION}'
    WHERE NOT EXISTS (SELECT 1 FROM temp.derived_conversations) AND EXISTS (SELECT 1 FROM main.summaries)`,
  // In the order of the ledger as a whole: a summary's sources may be of several sessions.
  messages: /* sql */ `
    INSERT OR IGNORE INTO temp.derived_messages (message_id, conversation_id, seq, role, token_count, created_at, external_id)
    SELECT o.message_id, c.conversation_id,
      row_number() OVER (ORDER BY o.place, o.created_at, o.message_id) - 1,
      CASE
        WHEN o.kind = 'tool_result' THEN 'tool'
        WHEN o.kind = 'event' OR o.actor = 'system' THEN 'system'
        WHEN o.actor LIKE 'human%' OR o.actor LIKE 'user%' THEN 'user'
        ELSE 'assistant' END,
      (o.byte_size + 3) / 4, o.created_at,
      iif(row_number() OVER (PARTITION BY o.event_id ORDER BY o.place) = 1, nullif(o.event_id, ''), NULL)
    FROM temp.decapod_originals AS o
    JOIN temp.derived_conversations AS c ON c.key = o.session_id`,
  window: /* sql */ `
    INSERT INTO temp.derived_context_items (conversation_id, ordinal, item_type, message_id)
    SELECT conversation_id, row_number() OVER (PARTITION BY conversation_id ORDER BY seq) - 1, 'message', message_id
    FROM temp.derived_messages`,
}

/** NULL-free: what the ledger does not hold is empty, and the file's own notes say so. */
const TEXT = `coalesce(
    (SELECT decapod_text(o.at, o.bytes, o.hash) FROM temp.decapod_originals AS o WHERE o.message_id = d.message_id), '')`

function views(probe: SchemaProbe): string {
  requireRowids(probe, 'decapod', ['originals_index', 'summaries'])
  return [
    derivedViews({
      importer: 'decapod',
      messageContent: TEXT,
      messageHash: `(SELECT iif(o.at IS NULL, NULL, o.hash) FROM temp.decapod_originals AS o WHERE o.message_id = d.message_id)`,
      summaryContent: probe.has('summaries', 'summary_text')
        ? `(SELECT ${asText('t.summary_text')} FROM main.summaries AS t WHERE t.rowid = s.summary_rowid)`
        : `''`,
    }),
    view(
      'message_parts',
      {
        part_id: `'msg_' || o.message_id || '/0'`,
        message_id: 'o.message_id',
        session_id: 'o.session_id',
        part_type: `CASE o.kind WHEN 'tool_result' THEN 'tool' WHEN 'artifact' THEN 'file' ELSE 'text' END`,
        ordinal: '0',
        is_content: '1',
        is_ignored: '0',
        is_synthetic: '0',
        tool_name: `iif(o.kind = 'tool_result', iif(o.source LIKE 'tool:%', substr(o.source, 6), o.source), NULL)`,
        file_name: `iif(o.kind = 'artifact', o.source, NULL)`,
        metadata: `json_object('kind', o.kind, 'actor', o.actor, 'source', o.source)`,
      },
      'temp.decapod_originals AS o',
    ),
    MESSAGE_TEXT_VIEW,
  ].join('')
}
