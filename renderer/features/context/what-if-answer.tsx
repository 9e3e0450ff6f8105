import type { CompactionDecision, CompactionPlan, WhatIf } from '#core/contract/compaction.ts'
import { Fact, Facts } from '#renderer/ui/facts.tsx'
import { formatCompact, formatCount, formatPressure, plural } from '#renderer/ui/format.ts'
import { pressureState } from '#renderer/ui/pressure-bar.tsx'
import styles from './what-if-panel.module.css'

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
        <Fact name="full">
          <span className={styles.figure} data-state={state(decision.activeTokens)}>
            {formatPressure(decision.pressure)}
          </span>{' '}
          of {formatCount(budget)}
        </Fact>
        <Fact name="window">{plural(decision.activeTokens, 'token')}</Fact>
        <Fact name="compacts">{leavesText(answer)}</Fact>
        <Fact name="condenses">{condenseText(answer)}</Fact>
        {plan.steps.length > 0 && (
          <>
            <Fact name="then">
              <span className={styles.figure} data-state={state(plan.expectedTokensAfter)}>
                about {formatCount(plan.expectedTokensAfter)}
              </span>{' '}
              in the window, {formatPressure(pressureAfter)} of the budget
            </Fact>
            <Fact name="calls">
              <span title="With a model as summariser. The built-in one asks none.">{callsText(plan)}</span>
            </Fact>
          </>
        )}
        <Fact name="left out" hint="What does not fit into the budget before that">
          {fallsOutText(answer)}
        </Fact>
      </Facts>
      {plan.skipped !== null && <p className={styles.skipped}>{plan.skipped}</p>}
      <p className="unseen" role="status">
        {isStale ? '' : `${answerTitle(decision)} ${plural(plan.steps.length, 'new summary', 'new summaries')}`}
      </p>
    </section>
  )
}

/** Says whether a compaction would start by itself. */
export function answerTitle({ urgency, should }: Pick<CompactionDecision, 'urgency' | 'should'>): string {
  if (!should) return 'Then no compaction is due. Run all the same:'
  return urgency === 'hard' ? 'Then, before the next turn:' : 'Then, soon:'
}

/** `41 messages → 3 first summaries` */
export function leavesText({ messagesToLeaves: { messages, leaves } }: Pick<WhatIf, 'messagesToLeaves'>): string {
  return leaves === 0
    ? 'nothing'
    : `${plural(messages, 'message')} → ${plural(leaves, 'first summary', 'first summaries')}`
}

/** `8 summaries → 2, depth 2` */
export function condenseText({ summariesToCondensed, plan }: Pick<WhatIf, 'summariesToCondensed' | 'plan'>): string {
  const { summaries, condensed } = summariesToCondensed
  if (condensed === 0) return 'nothing'
  const depth = plan.steps.reduce((most, step) => Math.max(most, step.depth), 0)
  return `${plural(summaries, 'summary', 'summaries')} → ${formatCount(condensed)}, depth ${depth}`
}

/** `4 · 62 k tokens read`: what a model would have to read. The built-in summariser asks none. */
function callsText({ steps }: Pick<CompactionPlan, 'steps'>): string {
  const tokens = steps.reduce((sum, step) => sum + step.sourceTokens, 0)
  return `${formatCount(steps.length)} · ${formatCompact(tokens)} tokens read`
}

/** `12 items, 8,412 tokens`: what the budget leaves out next turn when nothing is compacted. */
export function fallsOutText({ fallsOut, fallsOutTokens }: Pick<WhatIf, 'fallsOut' | 'fallsOutTokens'>): string {
  if (fallsOut.length === 0) return 'nothing'
  return `${plural(fallsOut.length, 'item')}, ${plural(fallsOutTokens, 'token')}`
}
