import { useMemo } from 'react'
import type { CompactionPlan, PlanStep } from '#core/contract/compaction.ts'
import { meaningOf } from '#core/contract/glossary.ts'
import { NO_COMPARISON } from '#renderer/compare-address.ts'
import { useLink } from '#renderer/routes.ts'
import { classNames } from '#renderer/ui/class-names.ts'
import { type Column, DataTable } from '#renderer/ui/data-table.tsx'
import { depthLabel } from '#renderer/ui/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/depth-swatch.tsx'
import { formatCompression, formatCount, formatTokens, plural } from '#renderer/ui/format.ts'
import { MarkedText } from '#renderer/ui/marked-text.tsx'
import { useName } from '#renderer/ui/use-names.ts'
import { AFTER } from '#renderer/ui/window-choice.ts'
import styles from './compaction-view.module.css'
import { expectedText, stepsText } from './compaction-wording.ts'

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

const TRIED = { ...NO_COMPARISON, b: { ...NO_COMPARISON.b, window: AFTER } }

/** A step with its number, from 0. */
type Row = { readonly number: number; readonly step: PlanStep }

/** Each node that would be made, in order. Showing the plan writes nothing. */
export function PlanTable({ plan, isPending, step, onStep, onPrompt, scroller }: Props) {
  const rows = useMemo(() => plan.steps.map((one, number): Row => ({ number, step: one })), [plan])
  const linkTo = useLink()
  const columns = useMemo(() => [...COLUMNS, promptColumn(onPrompt)], [onPrompt])
  if (rows.length === 0)
    return (
      <>
        <p className={styles.none}>{plan.skipped ?? 'There is nothing to compact.'}</p>
        <InheritedText plan={plan} />
      </>
    )
  return (
    <div className={classNames(isPending && styles.pending)}>
      <p className={styles.figures}>
        {stepsText(plan)} · {plan.modelCalls === 0 ? 'no model calls' : plural(plan.modelCalls, 'model call')} ·{' '}
        <strong className={styles.after}>{expectedText(plan)}</strong> ·{' '}
        <a
          href={linkTo({ view: 'compare', compare: TRIED })}
          title="Compares this conversation with itself after a compaction that is tried on a copy. Nothing is changed."
        >
          See what would be lost
        </a>
      </p>
      <InheritedText plan={plan} />
      <DataTable
        label="Steps of the plan"
        rows={rows}
        columns={columns}
        layout={styles.planColumns}
        keyOf={({ number }) => number}
        rowPx={27}
        selected={step}
        onSelect={({ number }) => onStep(number)}
        onOpen={({ number }) => onPrompt(number)}
        isMain
        isBusy={isPending}
        scroller={scroller}
      />
    </div>
  )
}

/** Of a fork, only its own part of the window can be compacted. */
function InheritedText({ plan: { inherited } }: { readonly plan: CompactionPlan }) {
  const linkTo = useLink()
  if (inherited === undefined) return null
  const { conversationId, items, tokens } = inherited
  return (
    <p className={styles.figures}>
      This is a fork: {plural(items, 'item')} before it, {formatTokens(tokens)}, belong to{' '}
      <a href={linkTo({ view: 'window', conversationId })}>conversation {conversationId}</a> and stay as they are.
    </p>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  { id: '#', title: '#', className: styles.dim, cell: ({ number }) => formatCount(number + 1) },
  {
    id: 'makes',
    title: 'makes',
    cell: ({ step: { pass, depth } }) => (
      <span className={styles.kind}>
        <DepthSwatch node={{ kind: pass === 'leaf' ? 'leaf' : 'condensed', depth }} />
        {depthLabel(depth)}
      </span>
    ),
  },
  {
    id: 'from',
    title: 'from',
    cell: ({ step: { pass, sources } }) =>
      pass === 'leaf' ? plural(sources.length, 'message') : plural(sources.length, 'summary', 'summaries'),
  },
  {
    id: 'begins',
    title: 'begins with',
    hint: 'The first words of what it would be made from',
    cell: ({ step }) => <FirstWords step={step} />,
  },
  {
    id: 'covers',
    title: 'covers',
    hint: meaningOf('seq'),
    className: styles.dim,
    cell: ({ step: { firstSeq, lastSeq } }) => (
      <span title={meaningOf('seq')}>
        seq {formatCount(firstSeq)}
        {lastSeq > firstSeq && ` – ${formatCount(lastSeq)}`}
      </span>
    ),
  },
  {
    id: 'tokens',
    title: 'tokens',
    hint: 'Tokens of what it would be made from',
    className: styles.figure,
    cell: ({ step }) => formatCount(step.sourceTokens),
  },
  {
    id: 'about',
    title: 'about',
    hint: 'Tokens that it would have',
    className: styles.figure,
    cell: ({ step }) => formatCount(step.expectedTokens),
  },
  {
    id: 'factor',
    title: 'factor',
    className: classNames(styles.figure, styles.dim),
    cell: ({ step: { sourceTokens, expectedTokens } }) =>
      expectedTokens > 0 ? formatCompression(sourceTokens / expectedTokens) : '–',
  },
]

/** A step that is made from one before it has no words yet. */
function FirstWords({ step: { sources } }: { readonly step: PlanStep }) {
  const [first = ''] = sources
  const planned = /^step_(\d+)$/.exec(first)?.[1]
  const name = useName(planned === undefined && first !== '' ? first : null)
  return planned === undefined ? (
    <bdi title={first}>
      <MarkedText text={name ?? first} />
    </bdi>
  ) : (
    <span className={styles.dim}>what step {planned} makes</span>
  )
}

const promptColumn = (onPrompt: Props['onPrompt']): Column<Row> => ({
  id: 'prompt',
  title: <span className="unseen">prompt</span>,
  cell: ({ number }) => (
    <button
      type="button"
      className={styles.prompt}
      title="The text that a model would be sent for this step"
      aria-label={`Prompt of step ${number + 1}`}
      onClick={() => onPrompt(number)}
    >
      prompt
    </button>
  ),
})
