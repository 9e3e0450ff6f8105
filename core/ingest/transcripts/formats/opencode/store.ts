import type { ReadDb } from '../../../../sqlite/read-db.ts'
import type { AgentStore, TranscriptChunk, TranscriptRecord, TranscriptSource } from '../../format.ts'
import { parseObjects } from '../../json-objects.ts'
import { isObject, type JsonObject } from '../../json-value.ts'
import { takeGuarded } from '../../read-lines.ts'
import { OpenCodeReader } from './reader.ts'

const queries = {
  sessions: /* sql */ `
    SELECT id, parent_id AS parentID, title, directory, "revert" AS revert, time_created AS created, rowid AS place
    FROM session
    WHERE rowid > CAST(:after AS INTEGER) ORDER BY rowid LIMIT 200`,
  // The order of opencode itself: by time, and by id within a millisecond.
  messages: /* sql */ `
    SELECT id, time_created AS created, data FROM message
    WHERE session_id = :sessionId AND (time_created, id) > (CAST(:created AS INTEGER), :id)
    ORDER BY time_created, id LIMIT 200`,
  parts: /* sql */ `
    SELECT id, data FROM part WHERE message_id = :messageId ORDER BY id`,
  count: /* sql */ `SELECT count(*) FROM message`,
}

type SessionRow = {
  readonly id: string
  readonly parentID: string | null
  readonly title: string | null
  readonly directory: string | null
  readonly revert: string | null
  readonly created: number
  readonly place: number
}
type Row = { readonly id: string; readonly created: number; readonly data: string }

/** `opencode.db`: the objects of an export as JSON in tables, without the ids that the columns have. */
export const openCodeStore: AgentStore = {
  fileName: /^opencode[^/\\]*\.db$/,
  isOurs: (probe) =>
    probe.has('session', 'project_id') && probe.has('message', 'data') && probe.has('part', 'message_id'),
  read,
}

async function* read(db: ReadDb, source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const total = Math.max(1, db.value<number>(queries.count) ?? 0)
  const doneBytes = (messages: number): number => Math.min(source.bytes - 1, (messages / total) * source.bytes)
  let done = 0
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const sessions = db.all<SessionRow>(queries.sessions, { after })
    for (const session of sessions) {
      const reader = new OpenCodeReader(source, infoOf(session))
      let key = { created: Number.MIN_SAFE_INTEGER, id: '' }
      for (;;) {
        const rows = db.all<Row>(queries.messages, { sessionId: session.id, ...key })
        const records: TranscriptRecord[] = []
        for (const row of rows) takeMessage(db, session.id, row, reader, records, source)
        const last = rows.at(-1)
        done += rows.length
        yield { doing: 'storing', bytesRead: doneBytes(done), records }
        if (!last || doneBytes(done) >= source.limitBytes) break
        key = { created: last.created, id: last.id }
      }
      yield { doing: 'storing', bytesRead: doneBytes(done), records: reader.end() }
      if (doneBytes(done) >= source.limitBytes) return
    }
    const last = sessions.at(-1)
    if (!last) break
    after = last.place
  }
  yield { doing: 'storing', bytesRead: source.bytes, records: [] }
}

const infoOf = ({ id, parentID, title, directory, revert, created }: SessionRow): JsonObject => ({
  id,
  parentID,
  title,
  directory,
  revert: revert === null ? undefined : (objectIn(revert) ?? undefined),
  time: { created },
})

function takeMessage(
  db: ReadDb,
  sessionID: string,
  row: Row,
  reader: OpenCodeReader,
  out: TranscriptRecord[],
  source: TranscriptSource,
): void {
  const origin = { line: 1, details: {} }
  const info = objectIn(row.data)
  if (info === null) {
    out.push({ kind: 'skipped', line: 1, reason: `the row of message ${row.id} is not JSON` })
    return
  }
  const parts = db.all<Row>(queries.parts, { messageId: row.id }).flatMap(({ id, data }): JsonObject[] => {
    const part = objectIn(data)
    if (part !== null) return [{ ...part, id, messageID: row.id, sessionID }]
    out.push({ kind: 'skipped', line: 1, reason: `the row of part ${id} is not JSON` })
    return []
  })
  const value = { info: { ...info, id: row.id, sessionID }, parts }
  takeGuarded(value, origin, (given, place, records) => reader.take(given, place, records), out, source)
}

function objectIn(text: string): JsonObject | null {
  const [value] = parseObjects(String(text)).values
  return isObject(value) ? value : null
}
