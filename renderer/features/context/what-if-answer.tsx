import type { CompactionDecision, CompactionPlan, WhatIf } from '#core/contract/compaction.ts'
import type { ItemReason } from '#core/contract/context.ts'
import { pressureState } from '#renderer/ui/charts/pressure-bar.tsx'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import type { FollowedPreview } from '#renderer/ui/data/use-compaction-preview.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { formatCompact, formatCount, formatPressure, plural } from '#renderer/ui/texts/format.ts'
import { planText, previewText } from '#renderer/ui/texts/plan-text.ts'
import styles from './what-if-panel.module.css'

type Props = {
  readonly answer: WhatIf
  /** What the plan of the answer would lose. */
  readonly preview: FollowedPreview
  readonly softThreshold: number
  readonly hardThreshold: number
  readonly isStale: boolean
}

/** The effect of the tried settings on the present window. */
export function WhatIfAnswer({ answer, preview, softThreshold, hardThreshold, isStale }: Props) {
  const { decision, plan, pressureAfter } = answer
  const { budget } = decision
  const state = (activeTokens: number) => pressureState(activeTokens / budget, softThreshold, hardThreshold)
  return (
    <section className={styles.answer} aria-label="Answer" aria-busy={isStale} data-stale={isStale || undefined}>
      <h3 className={styles.title}>{answerTitle(decision, plan.steps.length)}</h3>
      {plan.steps.length > 0 && <PlanWords plan={plan} preview={preview} />}
      <Facts>
        <Fact name="full">
          <span className={styles.figure} data-state={state(decision.activeTokens)}>
            {formatPressure(decision.pressure)}
          </span>{' '}
          of {formatCount(budget)}
        </Fact>
        <Fact name={sizeName(decision)}>{plural(decision.activeTokens, 'token')}</Fact>
        {plan.steps.length > 0 && (
          <>
            <Fact name="then">
              <span className={styles.figure} data-state={state(plan.expectedTokensAfter)}>
                about {formatCount(plan.expectedTokensAfter)}
              </span>{' '}
              {afterText(plan.expectedTokensAfter, budget, pressureAfter)}
            </Fact>
            <Fact name="calls">
              <span title="With a model as summariser. The built-in one asks none.">{callsText(plan)}</span>
            </Fact>
          </>
        )}
        <Fact name="left out" hint="What the model is not given before that">
          {fallsOutText(answer)}
        </Fact>
      </Facts>
      {plan.skipped !== null && <p className={styles.skipped}>{plan.skipped}</p>}
      <p className="unseen" role="status">
        {isStale
          ? ''
          : `${answerTitle(decision, plan.steps.length)} ${plan.steps.length === 0 ? '' : planText(plan)}`.trim()}
      </p>
    </section>
  )
}

/** Says whether a compaction would start by itself, and leads to what it would do, where there is anything to do. */
export function answerTitle(
  { urgency, should }: Pick<CompactionDecision, 'urgency' | 'should'>,
  steps: number,
): string {
  if (steps === 0) return should ? 'Then a compaction is due, and can do nothing.' : 'Then no compaction is due.'
  if (!should) return 'Then no compaction is due. Run all the same:'
  return urgency === 'hard' ? 'Then, before the next turn:' : 'Then, soon:'
}

type PlanWordsProps = { readonly plan: CompactionPlan; readonly preview: FollowedPreview }

/** What would leave the window and what would come, and on request what would be lost: that is tried on a copy. */
function PlanWords({ plan, preview }: PlanWordsProps) {
  const found = preview.found && previewText(preview.found)
  return (
    <div className={styles.plan}>
      <p>
        {planText(plan)}
        {found !== null && `, ${found}`}.
      </p>
      {preview.error !== null ? (
        <ErrorLine error={preview.error} />
      ) : (
        preview.found === null && (
          <Button disabled={preview.isRunning} onClick={preview.start}>
            {preview.isRunning ? 'Looking on a copy…' : 'See how many details are lost'}
          </Button>
        )
      )}
    </div>
  )
}

/** The name of all active tokens. Where some are left out, the window is what the model is given of them. */
export const sizeName = ({
  activeTokens,
  leftOutTokens,
  budget,
}: Pick<CompactionDecision, 'activeTokens' | 'leftOutTokens' | 'budget'>): string =>
  leftOutTokens > 0 || activeTokens > budget ? 'want in' : 'window'

/** Says what the planned tokens mean for the budget. Where they exceed it, only what fits of them will be sent. */
export const afterText = (expectedTokens: number, budget: number, pressureAfter: number): string =>
  expectedTokens > budget
    ? `want in, what fits is ${formatPressure(pressureAfter)} of the budget`
    : `in the window, ${formatPressure(pressureAfter)} of the budget`

/** `4 · 62 k tokens read`: what a model would have to read. The built-in summariser asks none. */
function callsText({ steps }: Pick<CompactionPlan, 'steps'>): string {
  const tokens = steps.reduce((sum, step) => sum + step.sourceTokens, 0)
  return `${formatCount(steps.length)} · ${formatCompact(tokens)} tokens read`
}

const WITHOUT_BUDGET: Readonly<Partial<Record<ItemReason, string>>> = {
  orphan_result: 'without their call',
  not_sent: 'not sent by the agent',
  dangling: 'not in the file',
}

/**
 * `12 items, 8,412 tokens`: what the model is not given next turn when nothing is compacted. Where not all of it is over
 * the budget, another budget would not bring it back, and the reasons are named: `7 over the budget, 5 without their call`.
 */
export function fallsOutText({
  fallsOut,
  fallsOutTokens,
  fallsOutBy,
}: Pick<WhatIf, 'fallsOut' | 'fallsOutTokens' | 'fallsOutBy'>): string {
  if (fallsOut.length === 0) return 'nothing'
  const sum = `${plural(fallsOut.length, 'item')}, ${plural(fallsOutTokens, 'token')}`
  const others = fallsOutBy.flatMap(({ reasonCode, items }) => {
    const why = WITHOUT_BUDGET[reasonCode]
    return why === undefined ? [] : { why, items }
  })
  if (others.length === 0) return sum
  const overBudget = others.reduce((left, { items }) => left - items, fallsOut.length)
  const why = [...(overBudget > 0 ? [{ why: 'over the budget', items: overBudget }] : []), ...others]
  return `${sum}: ${why.map((one) => `${formatCount(one.items)} ${one.why}`).join(', ')}`
}
