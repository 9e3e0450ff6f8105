import { useEffect, useRef } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { CompactionPlan, PlanStep } from '../../../core/contract/compaction.ts'
import { meaningOf } from '../../../core/contract/glossary.ts'
import { classNames } from '../../ui/class-names.ts'
import { depthLabel } from '../../ui/depth-color.ts'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import { formatCompression, formatCount, plural } from '../../ui/format.ts'
import { useListKeys } from '../../ui/use-list-keys.ts'
import { expectedText, stepsText } from './compaction-wording.ts'
import styles from './plan-table.module.css'

type Props = {
  readonly plan: CompactionPlan
  /** True while a newer plan is being made. */
  readonly isPending: boolean
  /** The number of the selected step, from 0. */
  readonly step: number | null
  readonly onStep: (step: number) => void
  readonly onPrompt: (step: number) => void
  /** The element that scrolls the table. */
  readonly scroller: HTMLElement | null
}

const ROW_HEIGHT = 27

/** Each node that would be made, in order. Showing the plan writes nothing. */
export function PlanTable({ plan, isPending, step, onStep, onPrompt, scroller }: Props) {
  const list = useRef<VirtuosoHandle>(null)
  const last = plan.steps.length - 1
  useEffect(() => {
    if (step !== null) list.current?.scrollIntoView({ index: step, behavior: 'auto' })
  }, [step])
  useListKeys({
    move: (by) => last >= 0 && onStep(Math.min(last, Math.max(0, step === null ? 0 : step + by))),
    start: () => last >= 0 && onStep(0),
    end: () => last >= 0 && onStep(last),
    open: () => step !== null && step <= last && onPrompt(step),
  })
  if (plan.steps.length === 0) return <p className={styles.none}>{plan.skipped ?? 'There is nothing to compact.'}</p>
  return (
    <div className={classNames(isPending && styles.pending)} aria-busy={isPending}>
      <p className={styles.figures}>
        {stepsText(plan)} · {plan.modelCalls === 0 ? 'no model calls' : plural(plan.modelCalls, 'model call')} ·{' '}
        <strong className={styles.after}>{expectedText(plan)}</strong>
      </p>
      <div className={classNames(styles.row, styles.titles)} aria-hidden="true">
        <span className={styles.cells}>
          <span>#</span>
          <span>makes</span>
          <span>from</span>
          <span>covers</span>
          <span>tokens</span>
          <span>about</span>
          <span>factor</span>
        </span>
      </div>
      {scroller && (
        <Virtuoso
          ref={list}
          data={plan.steps}
          customScrollParent={scroller}
          fixedItemHeight={ROW_HEIGHT}
          itemContent={(index, each) => (
            <PlanRow index={index} step={each} isInHand={index === step} onStep={onStep} onPrompt={onPrompt} />
          )}
        />
      )}
    </div>
  )
}

type RowProps = Pick<Props, 'onStep' | 'onPrompt'> & {
  readonly index: number
  readonly step: PlanStep
  readonly isInHand: boolean
}

function PlanRow({ index, step, isInHand, onStep, onPrompt }: RowProps) {
  const isLeaf = step.pass === 'leaf'
  const from = isLeaf ? plural(step.sources.length, 'message') : plural(step.sources.length, 'summary', 'summaries')
  return (
    <div className={styles.row} data-in-hand={isInHand ? '' : undefined}>
      <button type="button" className={styles.cells} aria-pressed={isInHand} onClick={() => onStep(index)}>
        <span className={styles.dim}>{formatCount(index + 1)}</span>
        <span className={styles.kind}>
          <DepthSwatch node={{ kind: isLeaf ? 'leaf' : 'condensed', depth: step.depth }} />
          {depthLabel(step.depth)}
        </span>
        <span>{from}</span>
        <span className={styles.dim} title={meaningOf('seq')}>
          seq {formatCount(step.firstSeq)} – {formatCount(step.lastSeq)}
        </span>
        <span>{formatCount(step.sourceTokens)}</span>
        <span>{formatCount(step.expectedTokens)}</span>
        <span className={styles.dim}>
          {step.expectedTokens > 0 ? formatCompression(step.sourceTokens / step.expectedTokens) : '–'}
        </span>
      </button>
      <button
        type="button"
        className={styles.prompt}
        title="The text that a model would be sent for this step"
        aria-label={`Prompt of step ${index + 1}`}
        onClick={() => onPrompt(index)}
      >
        prompt
      </button>
    </div>
  )
}
