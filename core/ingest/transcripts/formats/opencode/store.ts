import { bytesOfRows } from '#core/ingest/transcripts/database-progress.ts'
import type {
  AgentStore,
  TranscriptChunk,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import { parseObjects } from '#core/ingest/transcripts/json-objects.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { takeGuarded } from '#core/ingest/transcripts/read-lines.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readDynamicPruning } from './dynamic-pruning.ts'
import { copiesAt, originOf } from './forks.ts'
import { OpenCodeReader } from './reader.ts'

const queries = {
  // All columns are asked for, because versions differ in them.
  sessions: /* sql */ `
    SELECT *, rowid AS place FROM session
    WHERE rowid > CAST(:after AS INTEGER) AND (:named IS NULL OR id IN (SELECT value FROM json_each(:named)))
    ORDER BY rowid LIMIT 200`,
  session: /* sql */ `SELECT * FROM session WHERE id = :id`,
  // The order of opencode itself: by time, and by id within a millisecond. The rows are listed at once, because a time
  // that is no number has no next one.
  messages: /* sql */ `
    SELECT rowid FROM message WHERE session_id = :sessionId ORDER BY time_created, id`,
  batch: /* sql */ `
    SELECT rowid AS place, id, data FROM message WHERE rowid IN (SELECT value FROM json_each(:places))`,
  parts: /* sql */ `
    SELECT id, message_id AS messageId, data FROM part
    WHERE message_id IN (SELECT value FROM json_each(:ids)) ORDER BY message_id, id`,
}

type SessionRow = {
  readonly id: string
  readonly project_id: string
  readonly parent_id: string | null
  readonly title: string | null
  readonly directory: string | null
  readonly version?: string | null
  readonly revert?: string | null
  readonly time_created: number
  readonly time_updated?: number
  readonly place: number
}
type MessageRow = { readonly place: number; readonly id: string; readonly data: string }
type PartRow = { readonly id: string; readonly messageId: string; readonly data: string }

/** At most this many messages are read at once, with their parts. */
const BATCH = 50

/** `opencode.db`: the objects of an export as JSON in tables, without the ids that the columns have. */
export const openCodeStore: AgentStore = {
  fileName: /^opencode[^/\\]*\.db$/,
  isOurs: (probe) => hasSessions(probe) && !isKilos(probe),
  read,
}

export const kiloStore: AgentStore = {
  fileName: /^kilo[^/\\]*\.db$/,
  isOurs: (probe) => hasSessions(probe) && isKilos(probe),
  read,
}

type Probe = Parameters<AgentStore['isOurs']>[0]

const hasSessions = (probe: Probe): boolean =>
  probe.has('session', 'project_id') && probe.has('message', 'data') && probe.has('part', 'message_id')

const isKilos = (probe: Probe): boolean => probe.has('kilo_board', 'root_session_id')

async function* read(
  db: ReadDb,
  source: TranscriptSource,
  sessionIds?: readonly string[],
): AsyncGenerator<TranscriptChunk> {
  const named = sessionIds ? JSON.stringify(withOrigins(db, sessionIds)) : null
  const doneBytes = bytesOfRows(db, 'message', source)
  let done = 0
  const names = new Map<string, string>()
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const sessions = db.all<SessionRow>(queries.sessions, { after, named })
    for (const session of sessions) {
      const origin = originOf(db, session)
      const reported: TranscriptRecord[] = []
      const plugin = readDynamicPruning(source.path, session.id, reported)
      const known = { forkedFrom: origin, originals: names, plugin }
      const reader = new OpenCodeReader(source, infoOf(session), known)
      if (reported.length > 0) yield { doing: 'storing', bytesRead: doneBytes(done), records: reported }
      const places = db.column<number>(queries.messages, { sessionId: session.id })
      for (let from = 0; from < places.length && doneBytes(done) < source.limitBytes; from += BATCH) {
        const batch = places.slice(from, from + BATCH)
        const records: TranscriptRecord[] = []
        const messages = messagesAt(db, batch)
        if (origin !== null) {
          const copies = copiesAt(db, session, origin, JSON.stringify(batch))
          nameCopies(db, copies, messages, names)
        }
        for (const message of messages) takeMessage(session.id, message, names, reader, records, source)
        done += batch.length
        yield { doing: 'storing', bytesRead: doneBytes(done), records }
      }
      yield { doing: 'storing', bytesRead: doneBytes(done), records: reader.endOfWhole() }
      if (doneBytes(done) >= source.limitBytes) return
    }
    const last = sessions.at(-1)
    if (!last) break
    after = nextKey(db, 'the rowids of sessions', after, last.place)
  }
  yield { doing: 'storing', bytesRead: source.bytes, records: [] }
}

/** Copies in a fork are named after the messages of its origin, so that is read, too. */
function withOrigins(db: ReadDb, sessionIds: readonly string[]): string[] {
  const all = new Set<string>()
  for (let waiting = [...sessionIds]; waiting.length > 0; ) {
    const [id, ...rest] = waiting as [string, ...string[]]
    const row = all.has(id) ? undefined : db.get<SessionRow>(queries.session, { id })
    const origin = row ? originOf(db, row) : null
    all.add(id)
    waiting = origin === null ? rest : [...rest, origin]
  }
  return [...all]
}

const infoOf = (row: SessionRow): JsonObject => ({
  id: row.id,
  parentID: row.parent_id,
  title: row.title,
  directory: row.directory,
  version: row.version,
  revert: row.revert == null ? undefined : (objectIn(row.revert) ?? undefined),
  time: { created: row.time_created, updated: row.time_updated },
})

type Message = { readonly row: MessageRow; readonly parts: readonly PartRow[] }

/** Returns the messages in the order of their places, each with its parts in their order. */
function messagesAt(db: ReadDb, places: readonly number[]): Message[] {
  const rows = db.all<MessageRow>(queries.batch, { places: JSON.stringify(places) })
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  const parts = db.all<PartRow>(queries.parts, { ids: JSON.stringify(rows.map(({ id }) => id)) })
  const ofMessage = Map.groupBy(parts, ({ messageId }) => messageId)
  return places.flatMap((place) => {
    const row = byPlace.get(place)
    return row ? { row, parts: ofMessage.get(row.id) ?? [] } : []
  })
}

/** Gives copies, and the parts in them, the ids of their originals. What those were copied from was named before. */
function nameCopies(
  db: ReadDb,
  copies: ReturnType<typeof copiesAt>,
  messages: readonly Message[],
  names: Map<string, string>,
): void {
  const originals = db.all<PartRow>(queries.parts, { ids: JSON.stringify(copies.map(({ original }) => original)) })
  const partsOf = Map.groupBy([...originals, ...messages.flatMap(({ parts }) => parts)], ({ messageId }) => messageId)
  const name = (copy: string, original: string): unknown => names.set(copy, names.get(original) ?? original)
  for (const { copy, original } of copies) {
    name(copy, original)
    const parts = partsOf.get(copy) ?? []
    const originalParts = partsOf.get(original) ?? []
    if (parts.length === originalParts.length) {
      for (const [at, part] of parts.entries()) name(part.id, originalParts[at]?.id ?? part.id)
      continue
    }
    // A part was removed from one of the two since. The messages of results are named after the parts with their calls.
    const byCall = new Map(originalParts.map((part) => [callOf(part), part.id]))
    for (const part of parts) name(part.id, byCall.get(callOf(part)) ?? part.id)
  }
}

const callOf = ({ id, data }: PartRow): string => textAt(objectIn(data) ?? {}, 'callID') ?? id

function takeMessage(
  sessionID: string,
  { row, parts: partRows }: Message,
  names: ReadonlyMap<string, string>,
  reader: OpenCodeReader,
  out: TranscriptRecord[],
  source: TranscriptSource,
): void {
  const origin = { line: 1, details: {} }
  const messageID = names.get(row.id) ?? row.id
  const info = objectIn(row.data)
  if (info === null) {
    out.push({ kind: 'skipped', line: 1, reason: `the row of message ${row.id} is not JSON` })
    reader.hold(messageID)
    return
  }
  const parts = partRows.flatMap(({ id: ownId, data }): JsonObject[] => {
    const part = objectIn(data)
    const id = names.get(ownId) ?? ownId
    if (part !== null) return isTransient(part) ? [] : [{ ...part, id, messageID, sessionID }]
    out.push({ kind: 'skipped', line: 1, reason: `the row of part ${ownId} is not JSON` })
    reader.hold(id)
    return []
  })
  const value = { info: { ...info, id: messageID, sessionID }, parts }
  takeGuarded(value, origin, (given, place, records) => reader.take(given, place, records), out, source)
}

/** Kilo puts what it is doing into an answer that has not begun, and takes it out again. */
const isTransient = (part: JsonObject): boolean => objectAt(part, 'metadata')['kilocode.lifecycle'] === 'transient'

function objectIn(text: string): JsonObject | null {
  const [value] = parseObjects(String(text)).values
  return isObject(value) ? value : null
}
