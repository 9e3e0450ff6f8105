import type { SchemaProbe } from '../schema-probe.ts'
import type { PreparableDb } from '../uri-db.ts'
import { textTimeMs } from './canonical.ts'
import { readLedger } from './decapod-ledger.ts'
import { BEFORE_ALL, clearDerived, forgetDerivedMessages, indexDerived, STAND_IN } from './derived-tables.ts'
import { asCount, asId, asText, columnsOf } from './derived-views.ts'
import type { Source } from './dialect.ts'

/** The title of what was recorded without a session. */
const NO_SESSION = ''

/** Every content once. `place` orders them: the line of the ledger, or where the time puts what has none. */
const TABLES = /* sql */ `
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
-- The index as it was read, up to its last row.
CREATE TEMP TABLE IF NOT EXISTS decapod_index (last INTEGER NOT NULL, stamp TEXT NOT NULL);
`

/** "<seconds>Z" is how this system writes times, ISO is what it calls it. */
export const timeMs = (ts: string): string =>
  `iif(${ts} GLOB '[0-9]*Z' AND ${ts} NOT GLOB '*[^0-9Z]*', CAST(rtrim(${ts}, 'Z') AS INTEGER) * 1000, ${textTimeMs(ts)})`

const COLUMNS = 'message_id, hash, place, session_id, kind, actor, source, event_id, created_at, byte_size, at, bytes'

/** Originals of the index's rows after :last. */
function indexed(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'originals_index', 'o')
  const hash = asText(column('content_hash', 'o.rowid'))
  // Without any ledger there are only rows to number by; with one, what it does not hold must not take its numbers.
  return /* sql */ `
    SELECT
      coalesce(l.line, o.rowid + iif(EXISTS (SELECT 1 FROM temp.decapod_ledger), ${STAND_IN}, 0)) AS message_id,
      ${hash} AS hash,
      coalesce(l.line, 0) AS place,
      coalesce(${asId(column('session_id'))}, l.session_id, '${NO_SESSION}') AS session_id,
      ${asText(column('kind', 'l.kind'))} AS kind, ${asText(column('actor', 'l.actor'))} AS actor, l.source AS source,
      ${asId(column('event_id', 'l.event_id'))} AS event_id, ${timeMs(asText(column('ts', 'l.ts')))} AS created_at,
      ${asCount(column('byte_size', 'l.bytes'))} AS byte_size, l.at AS at, l.bytes AS bytes
    FROM main.originals_index AS o
    LEFT JOIN temp.decapod_ledger AS l
      ON l.line = (SELECT min(f.line) FROM temp.decapod_ledger AS f WHERE f.hash = ${hash})
    WHERE o.rowid > CAST(:last AS INTEGER)
    ORDER BY o.rowid`
}

const queries = {
  add: (rows: string) => /* sql */ `INSERT OR IGNORE INTO temp.decapod_originals (${COLUMNS}) ${rows}`,
  /** What the ledger told first, and the index tells otherwise. */
  isToldOtherwise: (rows: string) => /* sql */ `
    SELECT 1 FROM (${rows}) AS n JOIN temp.decapod_originals AS k ON k.hash = n.hash
    WHERE ${['message_id', 'session_id', 'kind', 'actor', 'event_id', 'created_at', 'byte_size']
      .map((column) => `n.${column} IS NOT k.${column}`)
      .join(' OR ')}
    LIMIT 1`,
  index: /* sql */ `SELECT last, stamp FROM temp.decapod_index`,
  lastRow: /* sql */ `SELECT max(rowid) FROM main.originals_index`,
  forgetIndex: /* sql */ `DELETE FROM temp.decapod_index`,
  keepIndex: /* sql */ `INSERT INTO temp.decapod_index (last, stamp) VALUES (CAST(:last AS INTEGER), :stamp)`,
  forget: /* sql */ `DELETE FROM temp.decapod_originals`,
  hasAny: /* sql */ `SELECT 1 FROM temp.decapod_originals LIMIT 1`,
  hasLater: /* sql */ `SELECT 1 FROM temp.decapod_originals WHERE message_id > CAST(:line AS INTEGER) LIMIT 1`,
  /** What the ledger holds and the index does not: an index that lags behind, or was never brought up to date. */
  ledgerOnly: /* sql */ `
    SELECT line, hash, line, coalesce(session_id, '${NO_SESSION}'), kind, actor, source, event_id, ${timeMs('ts')},
      coalesce(octet_length(decapod_text(at, bytes, hash)), 0), at, bytes
    FROM temp.decapod_ledger AS l
    WHERE line > CAST(:line AS INTEGER) AND NOT EXISTS (SELECT 1 FROM temp.decapod_originals AS o WHERE o.hash = l.hash)
    ORDER BY line`,
  hasUnplaced: /* sql */ `
    SELECT 1 FROM temp.decapod_originals WHERE message_id > CAST(:line AS INTEGER) AND at IS NULL LIMIT 1`,
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
    SELECT (SELECT count(*) FROM temp.derived_conversations) + row_number() OVER (ORDER BY min(place), session_id),
      session_id, session_id, nullif(session_id, '')
    FROM temp.decapod_originals
    WHERE message_id > CAST(:line AS INTEGER) AND session_id NOT IN (SELECT key FROM temp.derived_conversations)
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
      (SELECT count(*) FROM temp.derived_messages) + row_number() OVER (ORDER BY o.place, o.created_at, o.message_id) - 1,
      CASE
        WHEN o.kind = 'tool_result' THEN 'tool'
        WHEN o.kind = 'event' OR o.actor = 'system' THEN 'system'
        WHEN o.actor LIKE 'human%' OR o.actor LIKE 'user%' THEN 'user'
        ELSE 'assistant' END,
      (o.byte_size + 3) / 4, o.created_at,
      iif(row_number() OVER (PARTITION BY o.event_id ORDER BY o.place) = 1
        AND NOT EXISTS (SELECT 1 FROM temp.derived_messages AS k WHERE k.external_id = o.event_id),
        nullif(o.event_id, ''), NULL)
    FROM temp.decapod_originals AS o
    JOIN temp.derived_conversations AS c ON c.key = o.session_id
    WHERE o.message_id > CAST(:line AS INTEGER)`,
  window: /* sql */ `
    INSERT INTO temp.derived_context_items (conversation_id, ordinal, item_type, message_id)
    SELECT d.conversation_id,
      coalesce((SELECT max(i.ordinal) + 1 FROM temp.derived_context_items AS i WHERE i.conversation_id = d.conversation_id), 0)
        + row_number() OVER (PARTITION BY d.conversation_id ORDER BY d.seq) - 1,
      'message', d.message_id
    FROM temp.derived_messages AS d
    WHERE d.message_id > CAST(:line AS INTEGER)`,
}

/**
 * Brings messages, conversations and windows in step with index and ledger, both of which only ever grow; where they
 * did something else, all is made anew.
 * @returns whether they only grew
 */
export function readOriginals({ db, probe, realPath }: Source): boolean {
  db.exec(TABLES)
  const line = readLedger(db, realPath)
  const isGrown = addNewer(db, probe, line)
  if (!isGrown) fillAnew(db, probe)
  const last = db.value<number>(queries.lastRow) ?? 0
  db.run(queries.forgetIndex)
  db.run(queries.keepIndex, { last, stamp: indexStamp(db, probe, last) })
  return isGrown
}

/** Of the index's rows up to one of them: how many they are and what they come to, and the last one's hash. */
function indexStamp(db: PreparableDb, probe: SchemaProbe, last: number): string {
  const column = columnsOf(probe, 'originals_index', 'o')
  const sum = `count(*) || ' ' || total(o.rowid) || ' ' || total(${column('byte_size', '0')})`
  return String(
    db.value(
      `SELECT ${sum} || ' ' || total(octet_length(${column('session_id', `''`)})) || ' ' ||
        coalesce((SELECT ${asText(column('content_hash'))} FROM main.originals_index AS o WHERE o.rowid = CAST(:last AS INTEGER)), '')
      FROM main.originals_index AS o WHERE o.rowid <= CAST(:last AS INTEGER)`,
      { last },
    ),
  )
}

/** @param line the last line of the ledger that is known; false when there is more to do than to add what is new */
function addNewer(db: PreparableDb, probe: SchemaProbe, line: number): boolean {
  const known = db.get<{ last: number; stamp: string }>(queries.index)
  // What stands behind the known lines has no line, or stood in one that was not ended.
  if (line === 0 || !known || !db.value(queries.hasAny) || db.value(queries.hasLater, { line })) return false
  if (indexStamp(db, probe, known.last) !== known.stamp) return false
  const rows = indexed(probe)
  if (db.value(queries.isToldOtherwise(rows), { last: known.last })) return false
  db.run(queries.add(rows), { last: known.last })
  db.run(queries.add(queries.ledgerOnly), { line })
  if (db.value(queries.hasUnplaced, { line })) return false
  db.run(queries.conversations, { line })
  db.run(queries.messages, { line })
  db.run(queries.window, { line })
  return true
}

function fillAnew(db: PreparableDb, probe: SchemaProbe): void {
  forgetDerivedMessages(db)
  clearDerived(db, 'window')
  db.run(queries.forget)
  const line = BEFORE_ALL
  db.run(queries.add(indexed(probe)), { last: BEFORE_ALL })
  db.run(queries.add(queries.ledgerOnly), { line })
  if (db.value(queries.hasUnplaced, { line })) db.run(queries.placeByTime)
  db.run(queries.conversations, { line })
  db.run(queries.conversationOfNone)
  db.run(queries.messages, { line })
  indexDerived(db, 'messages')
  db.run(queries.window, { line })
  indexDerived(db, 'window')
}
