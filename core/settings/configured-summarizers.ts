import type { PlanStep, SpendEstimate } from '../contract/compaction.ts'
import { isWriter } from '../contract/lists.ts'
import type { ProviderSettings } from '../contract/provider.ts'
import { LcmError } from '../errors.ts'
import type { NewNonce } from '../models/prompts/nonce.ts'
import { PromptLibrary } from '../models/prompts/prompt-library.ts'
import type { KeyLookup, ProviderAccess } from '../models/summarizers/ask-model.ts'
import { createDeterministicSummarizer } from '../models/summarizers/deterministic.ts'
import { createModelSummarizer } from '../models/summarizers/model-summarizer.ts'
import { Resilience } from '../models/summarizers/resilience.ts'
import { SpendBudget } from '../models/summarizers/spend-budget.ts'
import { estimateSpend } from '../models/summarizers/spend-estimate.ts'
import type { SummarizerChain } from '../models/summarizers/summarizer.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { ModelSettings } from './settings.ts'

/** The names under which the configured chain is asked in order. The second is what systems with a router call it. */
const CHAIN = 'chain'
const AUTO = 'auto'
const DETERMINISTIC = 'deterministic'

export type ConfiguredSummarizersOptions = {
  readonly models: ModelSettings
  readonly keyOf: KeyLookup
  readonly estimator: TokenEstimator
  /** Replaced where a prompt has to be the same every time. */
  readonly newNonce?: NewNonce
}

/** The configured summarisers by name. The circuit of a provider is the same for every run that asks it. */
export class ConfiguredSummarizers {
  readonly #options: ConfiguredSummarizersOptions
  readonly #resilience = new Map<string, Resilience>()
  #prompts: PromptLibrary | null = null

  constructor(options: ConfiguredSummarizersOptions) {
    this.#options = options
  }

  /** The names that `summarizer` of a run may have. */
  get names(): readonly string[] {
    const { providers, chain } = this.#options.models
    return [DETERMINISTIC, ...providers.filter(isWriter).map(({ name }) => name), ...(chain.length > 0 ? [CHAIN] : [])]
  }

  /**
   * Returns the same summarisers with this text instead of the configured prompts, at every depth.
   * @throws LcmError invalid_argument when it is no prompt template
   */
  withPrompt(text: string): ConfiguredSummarizers {
    const other = new ConfiguredSummarizers(this.#options)
    other.#prompts = PromptLibrary.ofText(text, this.#options.newNonce)
    return other
  }

  /**
   * The prompts in use.
   * @throws LcmError invalid_argument when a prompt of the user cannot be used
   */
  get prompts(): PromptLibrary {
    this.#prompts ??= new PromptLibrary(this.#options.models.promptsDir, this.#options.newNonce)
    return this.#prompts
  }

  /**
   * Returns the providers that a run with this name asks, in order. The deterministic summariser has none.
   * @throws LcmError invalid_argument, naming the known ones
   */
  providersOf(given: string): readonly ProviderSettings[] {
    const name = given === AUTO ? CHAIN : given
    if (name === DETERMINISTIC) return []
    const { providers, chain } = this.#options.models
    const byName = (wanted: string): ProviderSettings[] =>
      providers.filter((provider) => provider.name === wanted && isWriter(provider))
    const found = name === CHAIN ? chain.flatMap(byName) : byName(name)
    if (found.length > 0) return found
    const hint =
      name === CHAIN ? 'No chain is configured (LCM_SUMMARIZERS or the settings)' : 'There is no such summariser'
    const names = this.names.join(', ')
    throw new LcmError('invalid_argument', `${hint}: ${JSON.stringify(name.slice(0, 80))}. Use one of ${names}.`)
  }

  /**
   * Returns the summarisers of one run with a budget of its own. The deterministic one is the last.
   * @throws LcmError invalid_argument for an unknown name or a prompt of the user that cannot be used
   */
  chainFor(name: string): SummarizerChain {
    const { models, estimator } = this.#options
    const budget = new SpendBudget(models.spendCapTokens)
    const asked = this.#accessWithin(budget, name).map((access) =>
      createModelSummarizer({ ...access, prompts: this.prompts }),
    )
    return { summarizers: [...asked, createDeterministicSummarizer(estimator)], spend: budget }
  }

  /**
   * Returns the providers of these names in the order in which they are asked, with a budget of this run's own.
   * @throws LcmError invalid_argument, naming the known ones
   */
  accessFor(...names: readonly string[]): readonly ProviderAccess[] {
    const budget = new SpendBudget(this.#options.models.spendCapTokens)
    return names.flatMap((name) => this.#accessWithin(budget, name))
  }

  #accessWithin(budget: SpendBudget, name: string): readonly ProviderAccess[] {
    const { keyOf, estimator } = this.#options
    return this.providersOf(name).map((provider) => ({
      provider,
      keyOf,
      estimator,
      budget,
      resilience: this.#resilienceOf(provider),
    }))
  }

  /** @throws LcmError invalid_argument, as `chainFor` */
  estimate(name: string, steps: readonly PlanStep[]): SpendEstimate {
    const { estimator, models } = this.#options
    const providers = this.providersOf(name)
    return estimateSpend({ steps, providers, prompts: () => this.prompts, estimator, capTokens: models.spendCapTokens })
  }

  #resilienceOf({ name, timeoutMs }: ProviderSettings): Resilience {
    const found = this.#resilience.get(name) ?? new Resilience({ timeoutMs })
    this.#resilience.set(name, found)
    return found
  }
}
