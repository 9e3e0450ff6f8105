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
  /** Sessions that have their messages from copies in a fork, because their own files were not imported, by the fork. */
  readonly #parents = new Map<string, string>()
  /** The messages that went to them. */
  readonly #movedUp = new Set<string>()

  constructor(sessions: StoredSessions, forks: Forks, clock: Clock) {
    this.#sessions = sessions
    this.#forks = forks
    this.#clock = clock
  }

  /** The sessions that begin with copies in a fork, by the fork. */
  get parents(): ReadonlyMap<string, string> {
    return this.#parents
  }

  declare({ sessionId, mayBeFork }: SessionRecord): void {
    if (mayBeFork) this.#maybeForks.set(sessionId, null)
  }

  /** Returns the record with the session in which it was said, and with what it is a copy of. */
  placed(record: TranscriptRecord): TranscriptRecord {
    return this.#movedToParent(this.#knownAsCopy(record))
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
   * What a fork copied from a parent that is not stored becomes the beginning of the parent, so that it is stored once,
   * whichever of the two files comes first.
   */
  #movedToParent(record: TranscriptRecord): TranscriptRecord {
    if (record.kind === 'message' || record.kind === 'answer') {
      const externalId = record.kind === 'message' ? record.message.externalId : record.externalId
      const parent = this.#parentOfCopy(record, externalId)
      if (parent === null || externalId === null) return record
      this.#movedUp.add(externalId)
      this.#forks.copied(record.sessionId, externalId)
      const { copiedFrom, ...moved } = record
      return { ...moved, sessionId: parent }
    }
    if (record.kind === 'compaction' || record.kind === 'pruning') {
      const parent = this.#parents.get(record.sessionId)
      const [named] =
        record.kind === 'compaction'
          ? record.recordedBy
          : record.outputs.flatMap((output) => ('externalId' in output ? output.externalId : []))
      if (parent !== undefined && named !== undefined && this.#movedUp.has(named))
        return { ...record, sessionId: parent }
    }
    return record
  }

  #parentOfCopy({ sessionId, copiedFrom }: MessageRecord | AnswerRecord, externalId: string | null): string | null {
    const [parent] = copiedFrom ?? []
    if (parent === undefined || externalId === null || parent === sessionId) return null
    const known = this.#parents.get(sessionId)
    if (known !== undefined)
      return copiedFrom?.some((id) => id !== parent && this.#sessions.holds(id, externalId)) ? null : known
    if (this.#sessions.has(parent) || this.#sessions.has(sessionId)) return null
    this.#parents.set(sessionId, parent)
    const createdAtMs = this.#clock()
    this.#sessions.declare({ kind: 'session', sessionId: parent, startedAtMs: createdAtMs })
    return parent
  }
}
