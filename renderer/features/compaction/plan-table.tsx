import { Virtuoso } from 'react-virtuoso'
import type { CompactionPlan } from '../../../core/contract/compaction.ts'
import { classNames } from '../../ui/class-names.ts'
import { depthLabel } from '../../ui/depth-color.ts'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import { formatCompression, formatCount, plural } from '../../ui/format.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { expectedText, stepsText } from './compaction-wording.ts'
import styles from './plan-table.module.css'

type Props = {
  readonly plan: CompactionPlan
  /** A newer plan is being made. */
  readonly isPending: boolean
  /** What scrolls the table. */
  readonly scroller: HTMLElement | null
}

type Step = CompactionPlan['steps'][number]

/** Each node that would be made, in order. Nothing is written by looking at it. */
export function PlanTable({ plan, isPending, scroller }: Props) {
  return (
    <section className={classNames(styles.plan, isPending && styles.pending)} aria-busy={isPending}>
      <div className={styles.head}>
        <SectionHeading aside={plan.steps.length > 0 && <PlanFigures plan={plan} />}>Plan</SectionHeading>
      </div>
      {plan.steps.length === 0 ? (
        <p className={styles.none}>{plan.skipped ?? 'There is nothing to compact.'}</p>
      ) : (
        <>
          <div className={classNames(styles.row, styles.titles)}>
            <span>#</span>
            <span>makes</span>
            <span>from</span>
            <span>covers</span>
            <span>tokens</span>
            <span>about</span>
            <span>factor</span>
          </div>
          {scroller && (
            <Virtuoso
              data={plan.steps}
              customScrollParent={scroller}
              fixedItemHeight={27}
              itemContent={(index, step) => <PlanRow index={index} step={step} />}
            />
          )}
        </>
      )}
    </section>
  )
}

function PlanFigures({ plan }: { readonly plan: CompactionPlan }) {
  return (
    <>
      {stepsText(plan)} · {plural(plan.modelCalls, 'model call')} ·{' '}
      <strong className={styles.after}>{expectedText(plan)}</strong>
    </>
  )
}

function PlanRow({ index, step }: { readonly index: number; readonly step: Step }) {
  const isLeaf = step.pass === 'leaf'
  return (
    <div className={styles.row}>
      <span className={styles.dim}>{index + 1}</span>
      <span className={styles.kind}>
        <DepthSwatch node={{ kind: isLeaf ? 'leaf' : 'condensed', depth: step.depth }} />
        {depthLabel(step.depth)}
      </span>
      <span>
        {isLeaf ? plural(step.sources.length, 'message') : plural(step.sources.length, 'summary', 'summaries')}
      </span>
      <span className={styles.dim}>
        seq {formatCount(step.firstSeq)} – {formatCount(step.lastSeq)}
      </span>
      <span>{formatCount(step.sourceTokens)}</span>
      <span>{formatCount(step.expectedTokens)}</span>
      <span className={styles.dim}>
        {step.expectedTokens > 0 ? formatCompression(step.sourceTokens / step.expectedTokens) : '–'}
      </span>
    </div>
  )
}
