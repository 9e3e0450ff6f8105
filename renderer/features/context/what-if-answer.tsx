import type { WhatIf } from '../../../core/contract/compaction.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatCount, formatPressure, plural } from '../../ui/format.ts'
import { pressureState } from '../../ui/pressure-state.ts'
import { answerTitle, callsText, condenseText, fallsOutText, leavesText } from './answer-text.ts'
import styles from './what-if-answer.module.css'

type Props = {
  readonly answer: WhatIf
  readonly softThreshold: number
  readonly hardThreshold: number
  readonly isStale: boolean
}

/** The effect of the tried settings on the present window. */
export function WhatIfAnswer({ answer, softThreshold, hardThreshold, isStale }: Props) {
  const { decision, plan, pressureAfter } = answer
  const { budget } = decision
  const state = (activeTokens: number) => pressureState(activeTokens / budget, softThreshold, hardThreshold)
  return (
    <section className={styles.answer} aria-label="Answer" aria-busy={isStale} data-stale={isStale || undefined}>
      <h3 className={styles.title}>{answerTitle(decision)}</h3>
      <Facts>
        <Fact name="pressure">
          <span className={styles.figure} data-state={state(decision.activeTokens)}>
            {formatPressure(decision.pressure)}
          </span>{' '}
          of {formatCount(budget)}
        </Fact>
        <Fact name="active">{plural(decision.activeTokens, 'token')}</Fact>
        <Fact name="compacts">{leavesText(answer)}</Fact>
        <Fact name="condenses">{condenseText(answer)}</Fact>
        {plan.steps.length > 0 && (
          <>
            <Fact name="then">
              <span className={styles.figure} data-state={state(plan.expectedTokensAfter)}>
                about {formatCount(plan.expectedTokensAfter)}
              </span>{' '}
              active, pressure {formatPressure(pressureAfter)}
            </Fact>
            <Fact name="calls">
              <span title="With a model as summariser. The built-in one asks none.">{callsText(plan)}</span>
            </Fact>
          </>
        )}
        <Fact name="falls out">{fallsOutText(answer)}</Fact>
      </Facts>
      {plan.skipped !== null && <p className={styles.skipped}>{plan.skipped}</p>}
      <p className="unseen" role="status">
        {isStale ? '' : `${answerTitle(decision)} ${plural(plan.steps.length, 'new summary', 'new summaries')}`}
      </p>
    </section>
  )
}
