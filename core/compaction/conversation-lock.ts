import type { WriteDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'

const queries = {
  holder: `
    SELECT owner, acquired_at AS acquiredAtMs, lease_until AS leaseUntilMs FROM conversation_locks
    WHERE conversation_id = :conversationId`,
  take: `
    INSERT INTO conversation_locks (conversation_id, owner, acquired_at, lease_until)
    VALUES (:conversationId, :owner, CAST(:nowMs AS INTEGER), CAST(:untilMs AS INTEGER))
    ON CONFLICT (conversation_id) DO UPDATE SET
      owner = excluded.owner, acquired_at = excluded.acquired_at, lease_until = excluded.lease_until`,
  extend: `
    UPDATE conversation_locks SET lease_until = CAST(:untilMs AS INTEGER)
    WHERE conversation_id = :conversationId AND owner = :owner`,
  release: `
    DELETE FROM conversation_locks WHERE conversation_id = :conversationId AND owner = :owner`,
} as const

/** How long a holder may be silent before it counts as crashed. */
export const LEASE_MS = 60_000

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
   * Takes the lock, also from an owner whose lease has run out.
   * @throws LcmError locked (retryable), naming the holder
   */
  static acquire(db: WriteDb, conversationId: number, owner: string, nowMs: number): ConversationLock {
    db.transaction(() => {
      const holder = db.get<{ owner: string; acquiredAtMs: number; leaseUntilMs: number }>(queries.holder, {
        conversationId,
      })
      if (holder && holder.leaseUntilMs > nowMs) {
        throw new LcmError(
          'locked',
          `Conversation ${conversationId} is being compacted by ${holder.owner}. Try again when it has finished.`,
          { conversationId, ...holder },
        )
      }
      db.run(queries.take, { conversationId, owner, nowMs, untilMs: nowMs + LEASE_MS })
    })
    return new ConversationLock(db, conversationId, owner)
  }

  /** False when another owner has taken the lock since: then nothing more may be written. */
  extend(nowMs: number): boolean {
    const { conversationId, owner } = this.#key()
    return this.#db.run(queries.extend, { conversationId, owner, untilMs: nowMs + LEASE_MS }) === 1
  }

  release(): void {
    this.#db.run(queries.release, this.#key())
  }

  #key(): { conversationId: number; owner: string } {
    return { conversationId: this.#conversationId, owner: this.#owner }
  }
}
