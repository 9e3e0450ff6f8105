import type { ProviderSettings } from '../contract/provider.ts'
import type { KeyLookup, ProviderAccess } from '../models/summarizers/ask-model.ts'
import { Resilience } from '../models/summarizers/resilience.ts'
import { SpendBudget } from '../models/summarizers/spend-budget.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'

/** Somebody waits for the answer to a question, which can also be given without vectors. */
const QUESTION_LIMIT_MS = 3000

export type ConfiguredEmbedderOptions = {
  readonly provider: ProviderSettings
  readonly spendCapTokens: number | null
  readonly keyOf: KeyLookup
  readonly estimator: TokenEstimator
}

/** The configured model that turns texts into vectors. */
export class ConfiguredEmbedder {
  readonly provider: ProviderSettings
  readonly #options: ConfiguredEmbedderOptions
  readonly #ofQuestions: Resilience

  constructor(options: ConfiguredEmbedderOptions) {
    this.#options = options
    this.provider = options.provider
    const timeoutMs = Math.min(options.provider.timeoutMs, QUESTION_LIMIT_MS)
    this.#ofQuestions = new Resilience({ timeoutMs, retries: 0 })
  }

  /** For a run over many texts, with a budget of its own and the retries of any other run. */
  forRun(): ProviderAccess {
    return this.#accessWith(new Resilience({ timeoutMs: this.provider.timeoutMs }))
  }

  /** For a question: one try within a few seconds, and none for a while after several that failed. */
  forQuestion(): ProviderAccess {
    return this.#accessWith(this.#ofQuestions)
  }

  #accessWith(resilience: Resilience): ProviderAccess {
    const { provider, spendCapTokens, keyOf, estimator } = this.#options
    return { provider, keyOf, estimator, resilience, budget: new SpendBudget(spendCapTokens) }
  }
}
