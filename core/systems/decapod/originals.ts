import { nextKey } from '#core/sqlite/keyset.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { textTimeMs } from '../deriving/canonical.ts'
import { BEFORE_ALL, forgetDerivedMessages, inRanges, STAND_IN } from '../deriving/derived-tables.ts'
import { asCount, asId, asText, columnsOf } from '../deriving/derived-views.ts'
import type { Source } from '../system.ts'
import { type ContentLines, indexHashes, type ListedRow, readingLedger, storedHash } from './ledger.ts'

/** The title of what was recorded without a session. */
const NO_SESSION = ''

const TABLES = /* sql */ `
-- The places of contents without a line of the ledger, which their times decide. Others stand at their line.
CREATE TEMP TABLE IF NOT EXISTS decapod_places (message_id INTEGER PRIMARY KEY, place REAL NOT NULL);
-- The index as it was read, up to its last row.
CREATE TEMP TABLE IF NOT EXISTS decapod_index (last INTEGER NOT NULL, stamp TEXT NOT NULL);
`

/** SQL of a time in milliseconds. This system writes "<seconds>Z" and calls that ISO. */
export const timeMs = (ts: string): string =>
  `iif(CAST(${ts} AS INTEGER) || 'Z' = ${ts}, CAST(${ts} AS INTEGER) * 1000, ${textTimeMs(ts)})`

/** SQL of the hash that a row of the index lists, in hex digits. */
const toldHash = (probe: SchemaProbe, row: string): string =>
  asText(columnsOf(probe, 'originals_index', row)('content_hash', `${row}.rowid`))
const indexHash = (probe: SchemaProbe, row = 'o'): string => storedHash(toldHash(probe, row))

const ROWS_AT_ONCE = 2000

type OriginalFields = Readonly<Record<'session' | 'createdAt' | 'role' | 'tokens' | 'eventId', string>>

/** SQL of the fields of an original: from its row `o` of the index, else from its line `l` with the facts `f`. */
function told(probe: SchemaProbe): OriginalFields {
  const column = columnsOf(probe, 'originals_index', 'o')
  const field = (name: string): string => `decapod_field(l.at, l.bytes, '${name}')`
  const [kind, actor] = [toldKind(probe, 'kind'), toldKind(probe, 'actor')]
  const bytes = `iif(o.rowid IS NULL, octet_length(decapod_text(l.at, l.bytes, l.hash)), ${column('byte_size', 'l.bytes')})`
  return {
    session: `coalesce(${asId(column('session_id'))}, f.session_id, '${NO_SESSION}')`,
    createdAt: timeMs(`iif(o.rowid IS NULL, ${field('ts')}, ${asText(column('ts', field('ts')))})`),
    role: `CASE
        WHEN ${kind} = 'tool_result' THEN 'tool'
        WHEN ${kind} = 'event' OR ${actor} = 'system' THEN 'system'
        WHEN ${actor} LIKE 'human%' OR ${actor} LIKE 'user%' THEN 'user'
        ELSE 'assistant' END`,
    tokens: `(${asCount(bytes)} + 3) / 4`,
    eventId: `nullif(iif(o.rowid IS NULL, ${field('event_id')}, ${asId(column('event_id', field('event_id')))}), '')`,
  }
}

/** Kind or actor of an original, in the terms of `told`. */
export const toldKind = (probe: SchemaProbe, column: 'kind' | 'actor'): string =>
  `iif(o.rowid IS NULL, f.${column}, ${asText(columnsOf(probe, 'originals_index', 'o')(column, `f.${column}`))})`

/** SQL that joins every content with its row of the index and the facts of its line. */
export const originals = (row = 'l.index_row'): string => /* sql */ `temp.decapod_lines AS l
    LEFT JOIN main.originals_index AS o ON o.rowid = ${row}
    LEFT JOIN temp.decapod_facts AS f ON f.fact = l.fact`

type Places = 'lines' | 'lines and times'

/**
 * What is filled from the originals after :last, up to :end.
 * @param places whether some have no line, so that their times are needed to order them
 */
function fillingBy(probe: SchemaProbe, places: Places) {
  const { session, createdAt, role, tokens, eventId } = told(probe)
  const isByLine = places === 'lines'
  const place = isByLine ? 'l.seq' : 'coalesce(q.place, l.line)'
  const from = /* sql */ `
    FROM ${originals()} ${isByLine ? '' : 'LEFT JOIN temp.decapod_places AS q ON q.message_id = l.line'}`
  return {
    conversations: /* sql */ `
      INSERT INTO temp.derived_conversations (conversation_id, key, session_id, logical_key)
      SELECT (SELECT count(*) FROM temp.derived_conversations) + row_number() OVER (ORDER BY min(place), session),
        session, session, nullif(session, '')
      FROM (SELECT ${session} AS session, ${place} AS place ${from} WHERE l.line > CAST(:last AS INTEGER) AND l.line <= CAST(:end AS INTEGER))
      WHERE session NOT IN (SELECT key FROM temp.derived_conversations)
      GROUP BY session`,
    // Messages are numbered in the order of the whole ledger, because a summary may have sources in several sessions.
    messages: /* sql */ `
      INSERT INTO temp.derived_messages (message_id, conversation_id, seq, role, token_count, created_at, external_id)
      SELECT n.message_id, c.conversation_id,
        ${isByLine ? 'n.place' : 'row_number() OVER (ORDER BY n.place, n.created_at, n.message_id) - 1'},
        n.role, n.tokens, n.created_at, n.event_id
      FROM (
        SELECT l.line AS message_id, ${session} AS session, ${place} AS place, ${createdAt} AS created_at, ${role} AS role,
          ${tokens} AS tokens, ${eventId} AS event_id
        ${from}
        WHERE l.line > CAST(:last AS INTEGER) AND l.line <= CAST(:end AS INTEGER)
      ) AS n
      JOIN temp.derived_conversations AS c ON c.key = n.session`,
    /** Places a content without a line behind the last one that was said before it. */
    places: /* sql */ `
      INSERT INTO temp.decapod_places (message_id, place)
      SELECT message_id, place FROM (
        SELECT message_id, at, 0.5 + coalesce(max(iif(at IS NULL, NULL, message_id))
          OVER (ORDER BY created_at, at IS NULL, message_id ROWS UNBOUNDED PRECEDING), 0) AS place
        FROM (SELECT l.line AS message_id, l.at, ${createdAt} AS created_at FROM ${originals()})
      )
      WHERE at IS NULL`,
  }
}

const queries = {
  index: /* sql */ `SELECT last, stamp FROM temp.decapod_index`,
  rows: /* sql */ `SELECT count(*) FROM main.originals_index`,
  lastRow: /* sql */ `SELECT max(rowid) FROM main.originals_index`,
  forgetIndex: /* sql */ `DELETE FROM temp.decapod_index`,
  keepIndex: /* sql */ `INSERT INTO temp.decapod_index (last, stamp) VALUES (CAST(:last AS INTEGER), :stamp)`,
  forget: /* sql */ `DELETE FROM temp.decapod_places`,
  hasAny: /* sql */ `SELECT 1 FROM temp.decapod_lines LIMIT 1`,
  listed: /* sql */ `SELECT count(index_row) FROM temp.decapod_lines`,
  unlist: /* sql */ `UPDATE temp.decapod_lines SET index_row = NULL`,
  /** Notes the row of the index at the first line of its content. */
  list: (hash: string) => /* sql */ `
    UPDATE temp.decapod_lines AS l
    SET index_row = n.row
    FROM (
      SELECT l.line, min(o.rowid) AS row
      FROM main.originals_index AS o CROSS JOIN temp.decapod_lines AS l ON l.hash = ${hash}
      WHERE o.rowid > CAST(:last AS INTEGER)
      GROUP BY l.line
    ) AS n
    WHERE l.line = n.line AND l.index_row IS NOT n.row`,
  nextRows: (hash: string, eventId: string) => /* sql */ `
    SELECT o.rowid, ${hash}, ${eventId} FROM main.originals_index AS o
    WHERE o.rowid > CAST(:last AS INTEGER) ORDER BY o.rowid LIMIT ${ROWS_AT_ONCE}`,
  hasUnlined: (hash: string) => /* sql */ `
    SELECT 1 FROM main.originals_index AS o
    WHERE o.rowid > CAST(:last AS INTEGER) AND NOT EXISTS (SELECT 1 FROM temp.decapod_lines AS l WHERE l.hash = ${hash})
    LIMIT 1`,
  /** Where there is no ledger, contents have the numbers of their rows. Its lines have these numbers otherwise. */
  standIns: (hash: string) => /* sql */ `
    INSERT OR IGNORE INTO temp.decapod_lines (line, hash, index_row)
    SELECT o.rowid + iif(EXISTS (SELECT 1 FROM temp.decapod_lines), ${STAND_IN}, 0), ${hash}, o.rowid
    FROM main.originals_index AS o
    ORDER BY o.rowid`,
  /** Whether the index says something else of a content up to :line that was known from the ledger alone. */
  isToldOtherwise: (hash: string, { session, createdAt, role, tokens, eventId }: OriginalFields) => /* sql */ `
    SELECT 1
    FROM main.originals_index AS n CROSS JOIN ${originals('n.rowid')}
    JOIN temp.derived_messages AS d ON d.message_id = l.line
    JOIN temp.derived_conversations AS c ON c.conversation_id = d.conversation_id
    WHERE n.rowid > CAST(:last AS INTEGER) AND l.hash = ${hash} AND l.line <= CAST(:line AS INTEGER)
      AND l.index_row IS NULL
      AND (${session} <> c.key OR ${createdAt} IS NOT d.created_at OR ${role} <> d.role OR ${tokens} <> d.token_count
        OR ${eventId} IS NOT d.external_id)
    LIMIT 1`,
  hasUnlisted: /* sql */ `SELECT 1 FROM temp.decapod_lines WHERE index_row IS NULL LIMIT 1`,
  indexEvents: /* sql */ `
    CREATE INDEX IF NOT EXISTS temp.decapod_events ON derived_messages (external_id) WHERE external_id IS NOT NULL`,
  repeatedEvents: /* sql */ `
    UPDATE temp.derived_messages SET external_id = NULL
    WHERE message_id IN (
      SELECT d.message_id FROM temp.derived_messages AS d
      WHERE d.message_id > CAST(:line AS INTEGER) AND d.external_id IS NOT NULL
        AND EXISTS (SELECT 1 FROM temp.derived_messages AS e WHERE e.external_id = d.external_id AND e.seq < d.seq)
    )`,
  /** Makes a conversation for summaries where there is none, because they have to be in one. */
  conversationOfNone: /* sql */ `
    INSERT INTO temp.derived_conversations (conversation_id, key, session_id)
    SELECT 1, '${NO_SESSION}', '${NO_SESSION}'
    WHERE NOT EXISTS (SELECT 1 FROM temp.derived_conversations) AND EXISTS (SELECT 1 FROM main.summaries)`,
  nextLine: /* sql */ `SELECT min(line) FROM temp.decapod_lines WHERE line > :last`,
}

/**
 * Brings messages and conversations in step with index and ledger, both of which only ever grow; where they
 * did something else, all is made anew.
 * @returns whether they only grew, and where contents stand now
 */
export function* readingOriginals({
  db,
  probe,
  realPath,
}: Source): Generator<void, { isGrown: boolean; lines: ContentLines }> {
  db.exec(TABLES)
  const known = db.get<{ last: number; stamp: string }>(queries.index)
  const isSame = known !== undefined && indexStamp(db, probe, known.last) === known.stamp
  const from = isSame ? known.last : BEFORE_ALL
  if (known && !isSame) db.run(queries.unlist)
  const events = { areAscending: true }
  const { keptLines, lines } = yield* readingLedger(db, realPath, listedRows(db, probe, from, events))
  const isGrown = isSame && (yield* addingNewer(db, probe, keptLines, from))
  if (!isGrown && (yield* fillingAnew(db, probe, events))) lines.lookAgain()
  const last = db.value<number>(queries.lastRow) ?? 0
  db.run(queries.forgetIndex)
  db.run(queries.keepIndex, { last, stamp: indexStamp(db, probe, last) })
  return { isGrown, lines }
}

/** `areAscending`: ids of events go up from row to row, so that none stands twice. */
type Events = { areAscending: boolean }

function* listedRows(db: PreparableDb, probe: SchemaProbe, after: number, events: Events): Generator<ListedRow> {
  const sql = queries.nextRows(toldHash(probe, 'o'), asId(columnsOf(probe, 'originals_index', 'o')('event_id')))
  let event = ''
  for (let last = after; ; ) {
    // Rows are read in one piece: while they are stepped through, one of the drivers lets nothing be written.
    const rows = db.rows<[...ListedRow, string | null]>(sql, { last })
    for (const [row, hash, eventId] of rows) {
      if (eventId === null || eventId <= event) events.areAscending = false
      event = eventId ?? ''
      yield [row, hash]
    }
    const end = rows.at(-1)
    if (!end || rows.length < ROWS_AT_ONCE) return
    last = nextKey(db, 'the rows of originals_index', last, end[0])
  }
}

/** Returns the count and sums of the rows of the index up to one of them, and the hash of that one. */
function indexStamp(db: PreparableDb, probe: SchemaProbe, last: number): string {
  const column = columnsOf(probe, 'originals_index', 'o')
  const sum = `count(*) || ' ' || total(o.rowid) || ' ' || total(${column('byte_size', '0')})`
  return String(
    db.value(
      /* sql */ `SELECT ${sum} || ' ' || total(octet_length(${column('session_id', `''`)})) || ' ' ||
        coalesce((SELECT ${asText(column('content_hash'))} FROM main.originals_index AS o WHERE o.rowid = CAST(:last AS INTEGER)), '')
      FROM main.originals_index AS o WHERE o.rowid <= CAST(:last AS INTEGER)`,
      { last },
    ),
  )
}

/**
 * @param line the last line of the ledger that was known before, and `last` the last row of the index
 * @returns false when there is more to do than to add what is new
 */
function* addingNewer(db: PreparableDb, probe: SchemaProbe, line: number, last: number): Generator<void, boolean> {
  if (line === 0 || !db.value(queries.hasAny)) return false
  const hash = indexHash(probe)
  indexHashes(db)
  if (db.value(queries.hasUnlined(hash), { last })) return false
  if (db.value(queries.isToldOtherwise(indexHash(probe, 'n'), told(probe)), { last, line })) return false
  db.run(queries.list(hash), { last })
  yield* filling(db, probe, 'lines', line)
  nameEventsOnce(db, line)
  yield
  return true
}

/** Returns whether something is listed that has no line, and so stands under a number of its own. */
function* fillingAnew(db: PreparableDb, probe: SchemaProbe, events: Events): Generator<void, boolean> {
  forgetDerivedMessages(db)
  db.exec(queries.forget)
  const hash = indexHash(probe)
  const everything = { last: BEFORE_ALL }
  const isAllListed = db.value(queries.listed) === db.value(queries.rows)
  if (!isAllListed) {
    indexHashes(db)
    db.run(queries.list(hash), everything)
  }
  const hasUnlined = !isAllListed && db.value(queries.hasUnlined(hash), everything) !== undefined
  if (hasUnlined) db.run(queries.standIns(hash))
  yield* filling(db, probe, hasUnlined ? 'lines and times' : 'lines', BEFORE_ALL)
  const areAllListed = isAllListed && db.value(queries.hasUnlisted) === undefined
  if (!areAllListed || !events.areAscending) nameEventsOnce(db, BEFORE_ALL)
  return hasUnlined
}

function* filling(db: PreparableDb, probe: SchemaProbe, places: Places, line: number): Generator<void> {
  const statements = fillingBy(probe, places)
  if (places === 'lines and times') db.run(statements.places)
  const fill = (range: { readonly last: number; readonly end: number }): number => {
    db.run(statements.conversations, range)
    return db.run(statements.messages, range)
  }
  if (places === 'lines') yield* inRanges(db, (last) => db.value(queries.nextLine, { last }), line, fill)
  // What has no line may stand anywhere, so that all has to be ordered at once.
  else fill({ last: BEFORE_ALL, end: Number.MAX_SAFE_INTEGER })
  db.run(queries.conversationOfNone)
}

/** An event's id names the first message that has it. */
function nameEventsOnce(db: PreparableDb, line: number): void {
  db.exec(queries.indexEvents)
  db.run(queries.repeatedEvents, { line })
}
