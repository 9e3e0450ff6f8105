import { LcmError } from '../errors.ts'
import { processState } from '../sqlite/process-mark.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'

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

/** An owner that does not extend its lease for this long counts as crashed. */
export const LEASE_MS = 60_000

/** Leases last a minute. One that ends later than this was taken under another clock. */
const LONGEST_LEASE_MS = 2 * LEASE_MS

export type Lock = {
  readonly conversationId: number
  readonly owner: string
  readonly acquiredAtMs: number
  readonly leaseUntilMs: number
}

/** Returns the locks of one conversation or of all. */
export const readLocks = (db: ReadDb, conversationId: number | null = null): Lock[] =>
  db.all<Lock>(queries.locks, { conversationId })

/**
 * Returns why a lock does not block others: its lease has expired, or its owner has ended. Returns null when the owner
 * may be at work.
 */
export function whyStale({ owner, leaseUntilMs }: Lock, nowMs: number): string | null {
  if (leaseUntilMs <= nowMs) return `whose lease ended at ${dateText(leaseUntilMs)}`
  if (unreleased.has(owner) || processState(owner) === 'ended') return 'which has ended without giving it back'
  return null
}

/** True for a lock that was taken under a clock ahead of this one. It would block others until that time. */
const isFromAheadClock = ({ leaseUntilMs }: Lock, nowMs: number): boolean => leaseUntilMs > nowMs + LONGEST_LEASE_MS

/**
 * Returns why a lock may be removed by hand: it is stale, or it would block others for as long as a wrong clock said.
 */
export const whyHoldsNobody = (lock: Lock, nowMs: number): string | null =>
  whyStale(lock, nowMs) ??
  (isFromAheadClock(lock, nowMs)
    ? `whose lease ends only at ${dateText(lock.leaseUntilMs)}: it was taken under a clock that is ahead`
    : null)

/**
 * Refuses a change while another owner works on one of these conversations, or on any (null). Call it in the
 * transaction that writes.
 * @throws LcmError locked (retryable), naming the holder
 */
export function refuseLocked(db: ReadDb, conversationIds: readonly number[] | null, nowMs: number): void {
  const holder = readLocks(db).find(
    (lock) =>
      (conversationIds === null || conversationIds.includes(lock.conversationId)) &&
      whyHoldsNobody(lock, nowMs) === null,
  )
  if (!holder) return
  throw new LcmError(
    'locked',
    `Conversation ${holder.conversationId} is being worked on by ${holder.owner}. Try again when it has finished.`,
    holder,
  )
}

/**
 * Owners in this thread that could not release their lock, for example on a full disk. They are known to have ended.
 */
const unreleased = new Set<string>()

/** A damaged row may hold a time that no JavaScript date can have. */
const dateText = (ms: number): string => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? 'an impossible time' : date.toISOString()
}

/**
 * Allows one compaction of a conversation at a time, across processes, by a row with an owner and a lease. Reading and
 * appending need no lock.
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
   * Takes the lock, also from an owner whose lease has expired or whose process has ended. A lease under a clock that
   * is ahead is shortened to one that begins now: a living owner extends it again, and one that has ended blocks others
   * no longer than usual.
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

  /** Returns false when another owner has taken the lock. Then nothing more may be written. */
  extend(nowMs: number): boolean {
    const { conversationId, owner } = this.#key()
    return this.#db.run(queries.extend, { conversationId, owner, untilMs: nowMs + LEASE_MS }) === 1
  }

  release(): void {
    this.#db.run(queries.release, this.#key())
  }

  /** Marks a lock that could not be released, so that the next owner in this thread takes it over. */
  abandon(): void {
    unreleased.add(this.#owner)
  }

  #key(): { conversationId: number; owner: string } {
    return { conversationId: this.#conversationId, owner: this.#owner }
  }
}
