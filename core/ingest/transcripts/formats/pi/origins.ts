import { nextTextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

const queries = {
  // One step in the index, however long the sessions are.
  nextSession: /* sql */ `
    SELECT min(session_id) FROM transcript_events WHERE session_id > :after`,
  // Databases of early versions do not keep the ids and times of events beside them.
  kept: /* sql */ `
    SELECT 1 FROM pragma_table_info('transcript_event_identities') WHERE name = 'created_at'`,
  timeOf: /* sql */ `
    SELECT created_at FROM transcript_event_identities WHERE session_id = :sessionId AND seq = :seq`,
  lastCopied: /* sql */ `
    SELECT event_id FROM transcript_event_identities
    WHERE session_id = :sessionId AND seq > 0 AND created_at < :begunMs ORDER BY seq DESC LIMIT 1`,
  holds: /* sql */ `
    SELECT 1 FROM transcript_event_identities WHERE session_id = :sessionId AND event_id = :eventId`,
}

/** A session of OpenClaw, and when it began, or 0 where that is not kept. */
export type Origin = { readonly id: string; readonly begunMs: number }

/**
 * The sessions of a database of OpenClaw in the order in which they began, and of which others each has copies. Going back
 * in a session, or forking it, begins another session with copies of its events, under their ids and times. The database
 * soon no longer names the session that was copied, so the copied events tell which one it was.
 */
export class OpenClawSessions {
  readonly #db: ReadDb
  readonly #sessions: readonly Origin[]
  /** The origin of each session that was asked for, or null for none. */
  readonly #known = new Map<string, Origin | null>()

  constructor(db: ReadDb) {
    this.#db = db
    const isKept = db.value(queries.kept) !== undefined
    const sessions = Array.from(sessionIds(db), (id) => ({ id, begunMs: isKept ? (this.#timeOf(id, 0) ?? 0) : 0 }))
    this.#sessions = sessions.sort((a, b) => a.begunMs - b.begunMs)
  }

  /** Returns all sessions, or those that are named and, before them, the sessions of which they have copies. */
  ids(named?: readonly string[]): readonly string[] {
    if (named === undefined) return this.#sessions.map(({ id }) => id)
    const wanted = new Set(named.flatMap((id) => [id, ...this.originsOf(id).map((origin) => origin.id)]))
    return [...this.#sessions.flatMap(({ id }) => (wanted.delete(id) ? id : [])), ...wanted]
  }

  /** The sessions of which one has copies, the latest first. */
  originsOf(sessionId: string): readonly Origin[] {
    const origins: Origin[] = []
    for (let origin = this.#originOf(sessionId); origin; origin = this.#originOf(origin.id)) origins.push(origin)
    return origins
  }

  /** Who goes back often makes a chain of sessions, and each of them asks for the origins of all before it. */
  #originOf(sessionId: string): Origin | null {
    const known = this.#known.get(sessionId)
    if (known !== undefined) return known
    const found = this.#find(sessionId) ?? null
    this.#known.set(sessionId, found)
    return found
  }

  /** Finds the latest session from before one that has the last of its copied events. */
  #find(sessionId: string): Origin | undefined {
    const begunMs = this.#sessions.find(({ id }) => id === sessionId)?.begunMs ?? 0
    // The first message of any session was given just before it began, but the second one only when it is a copy.
    if (begunMs === 0 || (this.#timeOf(sessionId, 2) ?? begunMs) >= begunMs) return undefined
    const eventId = this.#db.value<string>(queries.lastCopied, { sessionId, begunMs }) ?? ''
    return this.#sessions.findLast(
      (other) =>
        other.begunMs < begunMs && this.#db.value(queries.holds, { sessionId: other.id, eventId }) !== undefined,
    )
  }

  #timeOf(sessionId: string, seq: number): number | undefined {
    return this.#db.value<number>(queries.timeOf, { sessionId, seq })
  }
}

function* sessionIds(db: ReadDb): Generator<string> {
  for (let after = ''; ; ) {
    const id = db.value<string | null>(queries.nextSession, { after }) ?? null
    if (id === null) return
    after = nextTextKey(db, 'the ids of sessions', after, id)
    yield after
  }
}
