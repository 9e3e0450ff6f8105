import type { Clock } from '#core/clock.ts'
import type { Forks } from './forks.ts'
import type { AnswerRecord, MessageRecord, SessionRecord, TranscriptRecord } from './format.ts'
import type { StoredSessions } from './stored-sessions.ts'

/**
 * Finds the session in which each record of a fork was said. What a fork repeats is stored once, in the session in which
 * it was said first, whichever of the two files is imported first.
 */
export class ForkedCopies {
  readonly #sessions: StoredSessions
  readonly #forks: Forks
  readonly #clock: Clock
  /** Sessions of which only messages of another session were met so far, with that session. */
  readonly #maybeForks = new Map<string, string | null>()
  /**
   * Sessions whose own files were not imported, so that their messages are those that a fork copied, by that fork. A fork
   * of a fork has copies of several sessions.
   */
  readonly #origins = new Map<string, Set<string>>()
  /** The messages that went to them, with the session. */
  readonly #movedUp = new Map<string, string>()
  /** The last copy of each fork: its message, and the session in which it was said. */
  readonly #last = new Map<string, { readonly origin: string; readonly externalId: string }>()
  /** Sessions that an earlier import stored, with whatever they repeat. */
  readonly #stored = new Set<string>()
  /** The sessions with `hasOwnCopies`. */
  readonly #ownCopies = new Set<string>()

  constructor(sessions: StoredSessions, forks: Forks, clock: Clock) {
    this.#sessions = sessions
    this.#forks = forks
    this.#clock = clock
  }

  /** The sessions that begin with copies in a fork, by the fork. */
  get origins(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#origins
  }

  declare({ sessionId, mayBeFork, hasOwnCopies }: SessionRecord): void {
    if (hasOwnCopies) this.#ownCopies.add(sessionId)
    if (this.#sessions.has(sessionId)) this.#stored.add(sessionId)
    if (mayBeFork) this.#maybeForks.set(sessionId, null)
  }

  /** Returns the record with the session in which it was said, and with what it is a copy of. */
  placed(record: TranscriptRecord): TranscriptRecord {
    return this.#movedToOrigin(this.#knownAsCopy(record))
  }

  /** A fork that does not name its parent is recognised by its first messages, which another session has. */
  #knownAsCopy(record: TranscriptRecord): TranscriptRecord {
    if (record.kind !== 'message' && record.kind !== 'answer') return record
    const { sessionId } = record
    const parent = this.#maybeForks.get(sessionId)
    if (parent === undefined) return record
    const externalId = record.kind === 'message' ? record.message.externalId : record.externalId
    const holder =
      externalId === null || this.#sessions.hasOwn(sessionId, externalId)
        ? null
        : this.#sessions.holderOf(sessionId, externalId)
    if (holder === null || (parent !== null && holder !== parent)) {
      // A fork has a system prompt of its own, behind which more copies may follow.
      if (record.kind === 'message' && record.message.role === 'system') return record
      this.#maybeForks.delete(sessionId)
      if (parent === null && externalId !== null) this.#sessions.awaitOrigin(sessionId, externalId)
      return record
    }
    if (parent === null) this.#sessions.nameParent(sessionId, holder)
    this.#maybeForks.set(sessionId, holder)
    return { ...record, copiedFrom: [holder] }
  }

  /**
   * What a fork copied from a session that is not stored becomes the beginning of that session, so that it is stored
   * once, whichever of the files comes first.
   */
  #movedToOrigin(record: TranscriptRecord): TranscriptRecord {
    if (record.kind === 'message' || record.kind === 'answer') {
      const externalId = record.kind === 'message' ? record.message.externalId : record.externalId
      const origin = this.#originOfCopy(record, externalId)
      if (origin === null || externalId === null) return record
      this.#movedUp.set(externalId, origin)
      this.#forks.copied(record.sessionId, externalId)
      const { copiedFrom, ...moved } = record
      return { ...moved, sessionId: origin }
    }
    if (record.kind === 'pruning' && this.#ownCopies.has(record.sessionId)) return record
    if (record.kind === 'compaction' || record.kind === 'pruning') {
      const [named] =
        record.kind === 'compaction'
          ? record.recordedBy
          : record.outputs.flatMap((output) => ('externalId' in output ? output.externalId : []))
      const origin = this.#origins.has(record.sessionId) ? this.#movedUp.get(named ?? '') : undefined
      if (origin !== undefined) return { ...record, sessionId: origin }
    }
    return record
  }

  #originOfCopy({ sessionId, copiedFrom }: MessageRecord | AnswerRecord, externalId: string | null): string | null {
    const [origin] = copiedFrom ?? []
    if (origin === undefined || externalId === null || origin === sessionId) return null
    const before = this.#last.get(sessionId)
    this.#last.set(sessionId, { origin, externalId })
    const origins = this.#origins.get(sessionId) ?? new Set()
    if (this.#sessions.holds(origin, externalId)) return origins.has(origin) ? origin : null
    if (origins.has(origin)) return origin
    if (this.#sessions.has(origin) || this.#stored.has(sessionId)) return null
    this.#origins.set(sessionId, origins.add(origin))
    const isFork = before !== undefined && before.origin !== origin
    if (isFork) this.#forks.copied(origin, before.externalId)
    const parentSessionId = isFork ? before.origin : null
    this.#sessions.declare({ kind: 'session', sessionId: origin, parentSessionId, startedAtMs: this.#clock() })
    return origin
  }
}
