import { zstdDecompressSync } from 'node:zlib'
import { bytesOfRows } from '#core/ingest/transcripts/database-progress.ts'
import type {
  AgentStore,
  TranscriptChunk,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import { parseObjects } from '#core/ingest/transcripts/json-objects.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { LONGEST_LINE_BYTES } from '#core/ingest/transcripts/line-reader.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import { takeGuarded } from '#core/ingest/transcripts/read-lines.ts'
import { RecordGraph } from '#core/ingest/transcripts/record-graph.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { addEntry } from './entries.ts'
import { OpenClawSessions } from './origins.ts'
import { PiReader } from './reader.ts'

const queries = {
  events: /* sql */ `
    SELECT seq, event_json AS json, event_zstd AS packed FROM transcript_events
    WHERE session_id = :sessionId AND seq > CAST(:after AS INTEGER) ORDER BY seq LIMIT 200`,
  title: /* sql */ `
    SELECT session_key AS key, entry_json AS entry FROM session_nodes WHERE current_session_id = :sessionId LIMIT 1`,
}

type Row = { readonly seq: number; readonly json: string | null; readonly packed: Uint8Array | null }

/** The database of an agent of OpenClaw since 2026: the lines of its transcripts as rows, long ones compressed. */
export const openClawStore: AgentStore = {
  fileName: /^openclaw-agent\.sqlite$/,
  isOurs: (probe) => probe.has('transcript_events', 'session_id') && probe.has('transcript_events', 'event_json'),
  read,
}

async function* read(
  db: ReadDb,
  source: TranscriptSource,
  sessionIds?: readonly string[],
): AsyncGenerator<TranscriptChunk> {
  const doneBytes = bytesOfRows(db, 'transcript_events', source)
  const isEnough = (events: number): boolean => doneBytes(events) >= source.limitBytes
  const sessions = new OpenClawSessions(db)
  let done = 0
  for (const sessionId of sessions.ids(sessionIds)) {
    if (isEnough(done)) break
    const graph = new RecordGraph()
    let looked = done
    for (const rows of batches(db, sessionId)) {
      for (const { event, seq } of rows) if (event !== null) addEntry(graph, event, seq + 1)
      yield { doing: 'looking', bytesRead: doneBytes(done), records: [] }
      looked += rows.length
      if (isEnough(looked)) break
    }
    graph.finish()
    const origins = sessions.originsOf(sessionId)
    const reader = new PiReader(graph, source, sessionId, (named) => titleOf(db, named), { origins })
    for (const rows of batches(db, sessionId)) {
      const records: TranscriptRecord[] = []
      for (const { event, seq } of rows) {
        const take = (value: JsonObject): void => reader.take(value, { line: seq + 1, details: {} }, records)
        if (event !== null) takeGuarded(event, { line: seq + 1, details: {} }, take, records, source)
        else
          records.push({
            kind: 'skipped',
            line: seq + 1,
            reason: `event ${seq} of session ${sessionId} cannot be read`,
          })
      }
      done += rows.length
      yield { doing: 'storing', bytesRead: doneBytes(done), records }
      if (isEnough(done)) break
    }
    yield { doing: 'storing', bytesRead: doneBytes(done), records: reader.end() }
  }
  if (!isEnough(done)) yield { doing: 'storing', bytesRead: source.bytes, records: [] }
}

type Event = { readonly seq: number; readonly event: JsonObject | null }

function* batches(db: ReadDb, sessionId: string): Generator<readonly Event[]> {
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = db.all<Row>(queries.events, { sessionId, after })
    const last = rows.at(-1)
    if (!last) return
    yield rows.map((row) => ({ seq: row.seq, event: eventIn(row) }))
    after = nextKey(db, `the numbers of the events of session ${sessionId}`, after, last.seq)
  }
}

/** A compressed event of a few bytes may unpack to gigabytes. It may become as long as a line of a file, and no longer. */
const UNPACKED = { maxOutputLength: LONGEST_LINE_BYTES } as const

/** Returns null for a row that is damaged. */
function eventIn({ json, packed }: Row): JsonObject | null {
  try {
    const text = json ?? (packed === null ? '' : zstdDecompressSync(packed, UNPACKED).toString())
    const [value] = parseObjects(text).values
    return isObject(value) ? value : null
  } catch {
    // What is compressed is cut, not compressed, or longer than any line that is read. The caller reports it.
    return null
  }
}

/** A label of the session, or its key: `agent:<id>:<channel>`. */
function titleOf(db: ReadDb, sessionId: string): string | null {
  const row = db.get<{ key: string; entry: string }>(queries.title, { sessionId })
  if (!row) return null
  const [entry] = parseObjects(row.entry).values
  const named = isObject(entry)
    ? (textAt(entry, 'label') ?? textAt(entry, 'displayName') ?? textAt(objectAt(entry, 'origin'), 'label'))
    : null
  return named === null ? null : oneLine(named)
}
