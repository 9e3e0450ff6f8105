import type { CompactionPlan, PromptPreview } from '../../../core/contract/compaction.ts'
import type { ProviderInfo } from '../../../core/contract/provider.ts'

/** What a run would ask of a model if the first call of each node succeeded. */
export type ModelEstimate = {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** The cost in the currency of the prices, or null when prices are not known. */
  readonly cost: number | null
  /** Null means that there is no cap. */
  readonly capTokens: number | null
  readonly isAboveCap: boolean
}

type Input = {
  readonly plan: CompactionPlan
  /** The model that is asked first. */
  readonly provider: ProviderInfo
  /** The tokens of a prompt that are not its sources. */
  readonly overheadTokens: number
  readonly capTokens: number | null
}

/** Adds up what the steps of a plan send and receive. */
export function estimateRun({ plan, provider, overheadTokens, capTokens }: Input): ModelEstimate {
  const { steps } = plan
  const inputTokens = steps.reduce((sum, step) => sum + step.sourceTokens + overheadTokens, 0)
  const outputTokens = steps.reduce((sum, step) => sum + step.expectedTokens, 0)
  const { inputPrice, outputPrice } = provider
  const cost =
    inputPrice === null || outputPrice === null
      ? null
      : (inputTokens * inputPrice + outputTokens * outputPrice) / 1_000_000
  const isAboveCap = capTokens !== null && inputTokens + outputTokens > capTokens
  return { calls: steps.length, inputTokens, outputTokens, cost, capTokens, isAboveCap }
}

/** Measures the tokens of a prompt that are not its sources, on a prompt that would be sent. */
export const overheadOf = (
  preview: Pick<PromptPreview, 'tokens'> | undefined,
  step: CompactionPlan['steps'][number] | undefined,
): number => (preview && step ? Math.max(0, preview.tokens - step.sourceTokens) : 0)
