import { LcmError } from '../errors.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { processState } from './process-mark.ts'

const queries = {
  locks: /* sql */ `
    SELECT conversation_id AS conversationId, owner, acquired_at AS acquiredAtMs, lease_until AS leaseUntilMs
    FROM conversation_locks
    WHERE :conversationId IS NULL OR conversation_id = :conversationId`,
  take: /* sql */ `
    INSERT INTO conversation_locks (conversation_id, owner, acquired_at, lease_until)
    VALUES (:conversationId, :owner, CAST(:nowMs AS INTEGER), CAST(:untilMs AS INTEGER))
    ON CONFLICT (conversation_id) DO UPDATE SET
      owner = excluded.owner, acquired_at = excluded.acquired_at, lease_until = excluded.lease_until`,
  extend: /* sql */ `
    UPDATE conversation_locks SET lease_until = CAST(:untilMs AS INTEGER)
    WHERE conversation_id = :conversationId AND owner = :owner`,
  release: /* sql */ `
    DELETE FROM conversation_locks WHERE conversation_id = :conversationId AND owner = :owner`,
} as const

/** How long a holder may be silent before it counts as crashed. */
export const LEASE_MS = 60_000

/** A lease that ends later than this from now was given under another clock: leases are given for a minute. */
const LONGEST_LEASE_MS = 2 * LEASE_MS

export type Lock = {
  readonly conversationId: number
  readonly owner: string
  readonly acquiredAtMs: number
  readonly leaseUntilMs: number
}

/** Of one conversation, or of all. */
export const readLocks = (db: ReadDb, conversationId: number | null = null): Lock[] =>
  db.all<Lock>(queries.locks, { conversationId })

/**
 * Why a lock holds nobody up: its lease has run out, or its owner is known to have ended. Null: somebody may be at work.
 */
export function whyStale({ owner, leaseUntilMs }: Lock, nowMs: number): string | null {
  if (leaseUntilMs <= nowMs) return `whose lease ended at ${dateText(leaseUntilMs)}`
  if (unreleased.has(owner) || processState(owner) === 'ended') return 'which has ended without giving it back'
  return null
}

/** Whether a lock was taken under a clock that is ahead of this one: it would hold others up until that time. */
const isFromAheadClock = ({ leaseUntilMs }: Lock, nowMs: number): boolean => leaseUntilMs > nowMs + LONGEST_LEASE_MS

/** Why a lock may be dropped by hand: it is stale, or would hold others up for as long as a wrong clock said. */
export const whyHoldsNobody = (lock: Lock, nowMs: number): string | null =>
  whyStale(lock, nowMs) ??
  (isFromAheadClock(lock, nowMs)
    ? `whose lease ends only at ${dateText(lock.leaseUntilMs)}: it was taken under a clock that is ahead`
    : null)

/** Owners of this thread that could not give their lock back, as on a full disk: they are known to have ended. */
const unreleased = new Set<string>()

/** Beyond any date that JavaScript knows, of a damaged row. */
const dateText = (ms: number): string => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? 'an impossible time' : date.toISOString()
}

/**
 * One compaction a conversation at a time, across processes: a row with an owner and a lease. Reading and appending
 * need no lock.
 */
export class ConversationLock {
  readonly #db: WriteDb
  readonly #conversationId: number
  readonly #owner: string

  private constructor(db: WriteDb, conversationId: number, owner: string) {
    this.#db = db
    this.#conversationId = conversationId
    this.#owner = owner
  }

  /**
   * Takes the lock, also from an owner whose lease has run out or whose process has ended. A lease from a clock that is
   * ahead is shortened to one from now on: an owner that lives extends it again, and one that does not is waited for no
   * longer than any other.
   * @throws LcmError locked (retryable), naming the holder
   */
  static acquire(db: WriteDb, conversationId: number, owner: string, nowMs: number): ConversationLock {
    const holder = db.transaction(() => {
      const [found] = readLocks(db, conversationId)
      if (found && whyStale(found, nowMs) === null) {
        if (isFromAheadClock(found, nowMs))
          db.run(queries.extend, { conversationId, owner: found.owner, untilMs: nowMs + LEASE_MS })
        return found
      }
      db.run(queries.take, { conversationId, owner, nowMs, untilMs: nowMs + LEASE_MS })
      return null
    })
    if (holder === null) return new ConversationLock(db, conversationId, owner)
    throw new LcmError(
      'locked',
      `Conversation ${conversationId} is being compacted by ${holder.owner}. Try again when it has finished.`,
      { ...holder },
    )
  }

  /** False when another owner has taken the lock since: then nothing more may be written. */
  extend(nowMs: number): boolean {
    const { conversationId, owner } = this.#key()
    return this.#db.run(queries.extend, { conversationId, owner, untilMs: nowMs + LEASE_MS }) === 1
  }

  release(): void {
    this.#db.run(queries.release, this.#key())
  }

  /** It could not be given back: whoever comes next in this thread takes it over. */
  abandon(): void {
    unreleased.add(this.#owner)
  }

  #key(): { conversationId: number; owner: string } {
    return { conversationId: this.#conversationId, owner: this.#owner }
  }
}
