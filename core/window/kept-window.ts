import type { TokenEstimator } from '../models/token-estimator.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { changeStamp } from '../systems/change-stamp.ts'
import { MemoryReader } from '../systems/memory-reader.ts'
import { isLeafPassOpen } from '../systems/records/runs.ts'
import { type CoverageOfEntries, coverageOfEntries } from './coverage-of-entries.ts'
import { type PastEntries, readWindow, type Window, type WindowItem } from './window.ts'

type Kept = { readonly window: Window; readonly covered: CoverageOfEntries }

/**
 * The window that was asked for last, read once and kept until the file changes: a decision, a plan and every what-if
 * about it then cost only their own arithmetic.
 */
export class KeptWindow {
  readonly #db: ReadDb
  readonly #estimator: TokenEstimator
  readonly #histories: MemoryReader
  #kept: (Kept & { readonly stamp: string }) | null = null

  constructor(db: ReadDb, estimator: TokenEstimator, histories = new MemoryReader(db)) {
    this.#db = db
    this.#histories = histories
    this.#estimator = estimator
  }

  /** @throws LcmError not_found */
  of(conversationId: number): Kept {
    const stamp = changeStamp(this.#db)
    if (this.#kept?.stamp === stamp && this.#kept.window.conversationId === conversationId) return this.#kept
    // Let the old one go before the new one is read: both may be large.
    this.#kept = null
    this.#kept = readSnapshot(this.#db, () => {
      const window = readWindow(this.#db, conversationId, this.#estimator, this.#histories)
      return {
        stamp: changeStamp(this.#db),
        window: { ...window, isLeafPassOpen: isLeafPassOpen(this.#db, conversationId) },
        covered: this.#coverageOf(conversationId, window.items),
      }
    })
    return this.#kept
  }

  /**
   * The window with other entries in the place of the stored ones, which is not kept. Call inside a snapshot.
   * @throws LcmError not_found
   */
  past(conversationId: number, past: PastEntries): Kept {
    const window = readWindow(this.#db, conversationId, this.#estimator, this.#histories, past)
    return { window, covered: this.#coverageOf(conversationId, window.items) }
  }

  #coverageOf(conversationId: number, items: readonly WindowItem[]): CoverageOfEntries {
    return coverageOfEntries(this.#db, this.#histories, conversationId, items)
  }
}
