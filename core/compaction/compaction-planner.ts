import type { TokenEstimator } from '../context/token-estimator.ts'
import { readExtents, readWindow } from '../context/window.ts'
import type { CompactInput, CompactionDecision, CompactionPlan, CompactionSettings } from '../contract/compaction.ts'
import type { ReadDb } from '../db/read-db.ts'
import { withOverrides } from '../settings/settings.ts'
import { decide, planWindow } from './plan-window.ts'

/**
 * Answers whether a window should be compacted and what a run would do. Reads only, on files of every system. To ask
 * about one window many times, read it once and use `decide` and `planWindow`.
 */
export class CompactionPlanner {
  readonly #db: ReadDb
  readonly #estimator: TokenEstimator
  readonly #settings: Readonly<CompactionSettings>

  constructor(db: ReadDb, estimator: TokenEstimator, settings: Readonly<CompactionSettings>) {
    this.#db = db
    this.#estimator = estimator
    this.#settings = settings
  }

  /**
   * Tokens and pressure are those of the whole window, whether or not it fits into the budget.
   * @throws LcmError not_found, invalid_argument
   */
  evaluate(input: CompactInput): CompactionDecision {
    const settings = withOverrides(this.#settings, input.settings)
    return decide(readWindow(this.#db, input.conversationId, this.#estimator), settings)
  }

  /**
   * What `compact` would do with the same input.
   * @throws LcmError not_found, invalid_argument
   */
  plan(input: CompactInput): CompactionPlan {
    const settings = withOverrides(this.#settings, input.settings)
    const window = readWindow(this.#db, input.conversationId, this.#estimator)
    return planWindow(window, readExtents(this.#db, input.conversationId), input, settings)
  }
}
