import { formatCount, plural } from '../../ui/format.ts'
import { formatCost } from './compaction-wording.ts'
import styles from './estimate-text.module.css'
import type { ModelEstimate } from './model-estimate.ts'

/** What a run with a model would send, receive and cost, with its limit. */
export function EstimateText({ estimate }: { readonly estimate: ModelEstimate }) {
  const { calls, inputTokens, outputTokens, cost, capTokens, isAboveCap } = estimate
  return (
    <div className={styles.estimate}>
      <p>
        {plural(calls, 'call')} with about {formatCount(inputTokens)} tokens in and {formatCount(outputTokens)} out ·{' '}
        {cost === null ? 'no price is set' : `cost about\u00a0${formatCost(cost)}`}
      </p>
      <p className={isAboveCap ? styles.warning : styles.dim}>
        {capTokens === null
          ? 'A run may send as much as it needs: no spend cap is set.'
          : isAboveCap
            ? `The spend cap of ${plural(capTokens, 'token')} a run will be reached: what comes after it is made by the built-in extractor.`
            : `At most ${plural(capTokens, 'token')} a run: the spend cap.`}
      </p>
    </div>
  )
}
