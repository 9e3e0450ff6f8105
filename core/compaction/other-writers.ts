import type { ReadDb } from '../sqlite/read-db.ts'

/** For so long after somebody else wrote, more is expected to come: an agent at work stores messages every few seconds. */
const EXPECTED_FOR_MS = 10_000
const TIMES_HELD = 3
const LONGEST_PAUSE_MS = 30

/**
 * Leaves room for others who write into the file, such as the agent whose conversation is compacted. SQLite has a writer
 * that finds the file locked look again after 1, 2, 5, 10, 15 … ms, so short transactions that follow each other without
 * a pause can keep it waiting for many times their own length. https://www.sqlite.org/c3ref/busy_timeout.html
 */
export class OtherWriters {
  readonly #db: ReadDb
  readonly #nowMs: () => number
  #version: number
  #seenAtMs = Number.NEGATIVE_INFINITY

  /** @param nowMs a clock in milliseconds that only runs forward */
  constructor(db: ReadDb, nowMs: () => number = () => performance.now()) {
    this.#db = db
    this.#nowMs = nowMs
    this.#version = db.dataVersion()
  }

  /**
   * How long to leave the file alone after a transaction, in milliseconds: 0 when nobody else has written lately.
   * @param heldMs how long the transaction held the lock
   */
  pauseAfterMs(heldMs: number): number {
    const version = this.#db.dataVersion()
    if (version !== this.#version) {
      this.#version = version
      this.#seenAtMs = this.#nowMs()
    }
    if (this.#nowMs() - this.#seenAtMs > EXPECTED_FOR_MS) return 0
    return Math.min(LONGEST_PAUSE_MS, Math.ceil(TIMES_HELD * heldMs))
  }
}
