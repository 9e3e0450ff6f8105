import type { CompactionPlan, PromptPreview } from '#core/contract/compaction.ts'
import type { ProviderInfo } from '#core/contract/provider.ts'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import styles from './compaction-view.module.css'
import { formatCost } from './compaction-wording.ts'

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

/** What a run with a model would send, receive and cost, with its limit. */
export function EstimateText({ estimate }: { readonly estimate: ModelEstimate }) {
  const { calls, inputTokens, outputTokens, cost, capTokens, isAboveCap } = estimate
  return (
    <div className={styles.estimate}>
      <p>
        {plural(calls, 'call')} with about {formatCount(inputTokens)} tokens in and {formatCount(outputTokens)} out ·{' '}
        {cost === null ? 'no price is set' : `cost about\u00a0${formatCost(cost)}`}
      </p>
      <p className={isAboveCap ? styles.warning : 'dim'}>
        {capTokens === null
          ? 'A compaction may send as much as it needs: no spend cap is set.'
          : isAboveCap
            ? `The spend cap of ${plural(capTokens, 'token')} a compaction will be reached: what comes after it is made by the built-in extractor.`
            : `At most ${plural(capTokens, 'token')} a compaction: the spend cap.`}
      </p>
    </div>
  )
}
