import type { PlanStep, SpendEstimate } from '#core/contract/compaction.ts'
import type { ProviderSettings } from '#core/contract/provider.ts'
import type { PromptLibrary } from '../prompts/prompt-library.ts'
import type { TokenEstimator } from '../token-estimator.ts'
import { priceOf } from './spend-budget.ts'

export type SpendEstimateOptions = {
  readonly steps: readonly PlanStep[]
  /** The providers in the order in which they are asked. The first is expected to answer. */
  readonly providers: readonly ProviderSettings[]
  readonly prompts: () => PromptLibrary
  readonly estimator: TokenEstimator
  readonly capTokens: number | null
}

/**
 * Estimates what a plan sends to a model and receives when every first answer is accepted. Retries, further levels and
 * further providers come in addition. The cap limits all of it.
 */
export function estimateSpend({
  steps,
  providers,
  prompts,
  estimator,
  capTokens,
}: SpendEstimateOptions): SpendEstimate {
  const [first] = providers
  if (!first) return { provider: null, calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, capTokens }
  const framing = new Map<number, number>()
  const framingOf = (depth: number): number => {
    const known = framing.get(depth) ?? emptyPromptTokens(depth, prompts(), estimator)
    framing.set(depth, known)
    return known
  }
  let [inputTokens, outputTokens] = [0, 0]
  for (const { depth, sourceTokens, expectedTokens } of steps) {
    // The prompt of a leaf contains the previous summary.
    inputTokens += framingOf(depth) + sourceTokens + (depth === 0 ? expectedTokens : 0)
    outputTokens += expectedTokens
  }
  const { inputPrice, outputPrice } = first
  const isPriced = inputPrice !== null && outputPrice !== null
  const cost = isPriced ? priceOf(inputTokens, inputPrice) + priceOf(outputTokens, outputPrice) : null
  return { provider: first.name, calls: steps.length, inputTokens, outputTokens, cost, capTokens }
}

function emptyPromptTokens(depth: number, prompts: PromptLibrary, estimator: TokenEstimator): number {
  const request = { depth, targetTokens: 600, sourceTokens: 4_000, entries: [], previousSummary: '' }
  const { system, prompt } = prompts.build(request, 'normal')
  return estimator.count(system) + estimator.count(prompt)
}
