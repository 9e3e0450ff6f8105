import type { TokenEstimator } from '../models/token-estimator.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { changeStamp } from '../systems/change-stamp.ts'
import { isLeafPassOpen } from './cut-off-runs.ts'
import { type Extent, readExtents, readWindow, type Window } from './window.ts'

type Kept = { readonly window: Window; readonly extents: ReadonlyMap<string, Extent> }

/**
 * The window that was asked for last, read once and kept until the file changes: a decision, a plan and every what-if
 * about it then cost only their own arithmetic.
 */
export class KeptWindow {
  readonly #db: ReadDb
  readonly #estimator: TokenEstimator
  #kept: (Kept & { readonly stamp: string }) | null = null

  constructor(db: ReadDb, estimator: TokenEstimator) {
    this.#db = db
    this.#estimator = estimator
  }

  /** @throws LcmError not_found */
  of(conversationId: number): Kept {
    const stamp = changeStamp(this.#db)
    if (this.#kept?.stamp === stamp && this.#kept.window.conversationId === conversationId) return this.#kept
    // Let the old one go before the new one is read: both may be large.
    this.#kept = null
    this.#kept = readSnapshot(this.#db, () => ({
      stamp: changeStamp(this.#db),
      window: {
        ...readWindow(this.#db, conversationId, this.#estimator),
        isLeafPassOpen: isLeafPassOpen(this.#db, conversationId),
      },
      extents: readExtents(this.#db, conversationId),
    }))
    return this.#kept
  }
}
