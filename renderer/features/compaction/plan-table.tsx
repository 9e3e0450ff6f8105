import { useMemo } from 'react'
import type { CompactionPlan, CompactionPreview, PlanStep, PreviewedSummary } from '#core/contract/compaction.ts'
import { lostByKind } from '#core/contract/lists.ts'
import { NO_COMPARISON } from '#renderer/compare-address.ts'
import { useLink } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import type { FollowedPreview } from '#renderer/ui/data/use-compaction-preview.ts'
import { AFTER } from '#renderer/ui/data/window-choice.ts'
import { layerName } from '#renderer/ui/nodes/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { goingText } from '#renderer/ui/texts/plan-text.ts'
import styles from './compaction-view.module.css'
import { expectedText, lossText, stepsText } from './compaction-wording.ts'
import { Loss, RunLosses } from './run-losses.tsx'

type Props = {
  readonly plan: CompactionPlan
  /** What the plan would lose. */
  readonly preview: FollowedPreview
  /** True when a model would write the summaries. */
  readonly isByModel: boolean
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

/** A step with its number, from 0, and what was found of it on the copy. */
type Row = { readonly number: number; readonly step: PlanStep; readonly tried: PreviewedSummary | null }

/** Each summary that would be made, in order, and what would be lost in it. Showing the plan writes nothing. */
export function PlanTable(props: Props) {
  const { plan, preview, isPending, step, onStep, onPrompt, scroller } = props
  const rows = useMemo(() => rowsOf(plan, preview.found), [plan, preview.found])
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
        <strong className={styles.after}>{expectedText(plan)}</strong>
      </p>
      <InheritedText plan={plan} />
      <PlannedLosses {...props} />
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
        below={(row) => (row.number === step ? <StepLosses row={row} /> : null)}
        isMain
        isBusy={isPending}
        scroller={scroller}
      />
    </div>
  )
}

/**
 * A summary on the copy is the one of the step that covers the same messages at the same depth. Where only a part was
 * compared, one without losses tells nothing.
 */
function rowsOf(plan: CompactionPlan, found: CompactionPreview | null): Row[] {
  type Placed = Pick<PreviewedSummary, 'depth' | 'firstSeq' | 'lastSeq'>
  const placeOf = ({ depth, firstSeq, lastSeq }: Placed) => `${depth} ${firstSeq} ${lastSeq}`
  const told = found?.summaries.filter(({ dropped, changed }) => !found.isPart || dropped + changed > 0)
  const tried = new Map(told?.map((summary) => [placeOf(summary), summary]))
  return plan.steps.map((step, number) => ({ number, step, tried: tried.get(placeOf(step)) ?? null }))
}

/** What the whole plan would lose, or the way to find it out. */
function PlannedLosses({ preview, isByModel }: Pick<Props, 'preview' | 'isByModel'>) {
  const linkTo = useLink()
  const { found, isRunning, note, error, start } = preview
  return (
    <div className={styles.preview}>
      {error !== null ? (
        <ErrorLine error={error} />
      ) : found?.loss ? (
        <RunLosses
          report={found.loss}
          label="What would be lost"
          head={lossText(found.loss.counts, 'leave')}
          first={FIRST_LOST}
          command={null}
        />
      ) : found ? null : isRunning ? (
        <p className="dim" role="status" aria-busy="true">
          Looking on a copy what would be lost… {note}
        </p>
      ) : (
        <p>
          <Button onClick={start}>See what would be lost</Button>{' '}
          <span className="dim">It is tried on a copy of the file, which takes a while here.</span>
        </p>
      )}
      {isByModel && (
        <p className="dim">
          These are the losses of the built-in summariser. What a model keeps depends on the model; it is listed after
          the compaction.
        </p>
      )}
      {found !== null && (
        <p>
          <a
            href={linkTo({ view: 'compare', compare: TRIED })}
            title="Compares this conversation with itself after a compaction that is tried on a copy. Nothing is changed."
          >
            Compare the window before and after it
          </a>
        </p>
      )}
    </div>
  )
}

/** At most this many losses leave room for the plan below them. */
const FIRST_LOST = 4

/** What would be lost in one step, in words and detail by detail. */
function StepLosses({ row: { step, tried } }: { readonly row: Row }) {
  const { sourceTokens, expectedTokens } = step
  const shown = tried === null ? [] : lostByKind(tried.lost)
  const all = tried === null ? 0 : tried.dropped + tried.changed
  return (
    <div className={styles.stepLosses}>
      <p>
        <Sources step={step} />: {formatTokens(sourceTokens)} become at most {formatCount(expectedTokens)}
        {tried !== null && `, ${goingText(tried)}`}.
      </p>
      <ul>
        {shown.map(({ state, detail }) => (
          <Loss key={`${state} ${detail.kind} ${detail.text} ${detail.messageId}`} state={state} detail={detail} />
        ))}
      </ul>
      {all > shown.length && <p className="dim">and {formatCount(all - shown.length)} more.</p>}
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
  { id: '#', title: '#', className: 'dim', cell: ({ number }) => formatCount(number + 1) },
  {
    id: 'makes',
    title: 'makes',
    hint: 'A first summary is made of messages, a summary of summaries of other summaries',
    cell: ({ step: { pass, depth } }) => (
      <span className={styles.kind}>
        <DepthSwatch node={{ kind: pass === 'leaf' ? 'leaf' : 'condensed', depth }} />
        <span className={styles.kindName}>{depth <= 0 ? 'first summary' : 'of summaries'}</span>
      </span>
    ),
    cellTitle: ({ step: { depth } }) => `One of the ${layerName(depth)}, depth ${depth}`,
  },
  {
    id: 'from',
    title: 'from',
    hint: 'What it would be made of, from the first words to the last ones',
    cell: ({ step }) => <Sources step={step} />,
  },
  {
    id: 'tokens',
    title: 'tokens',
    hint: 'Tokens of what it would be made of, and the most that it would have',
    className: styles.figure,
    cell: ({ step: { sourceTokens, expectedTokens } }) =>
      `${formatCount(sourceTokens)} → ${formatCount(expectedTokens)}`,
  },
  {
    id: 'lost',
    title: 'lost',
    hint: 'Names, numbers, paths and other details that would be lost or changed in it',
    className: styles.figure,
    cell: ({ tried }) => (tried === null ? '' : formatCount(tried.dropped + tried.changed)),
  },
]

/** `12 messages from “…” to “…”`. A step that is made from one before it has no words yet. */
function Sources({ step }: { readonly step: PlanStep }) {
  const { sources } = step
  const number = step.sourceCount ?? sources.length
  const count = step.pass === 'leaf' ? plural(number, 'message') : plural(number, 'summary', 'summaries')
  return (
    <span className={styles.sources}>
      {count} from <Words id={sources[0] ?? ''} />
      {sources.length > 1 && (
        <>
          {' to '}
          <Words id={sources.at(-1) ?? ''} />
        </>
      )}
    </span>
  )
}

function Words({ id }: { readonly id: string }) {
  const planned = /^step_(\d+)$/.exec(id)?.[1]
  const name = useName(planned === undefined && id !== '' ? id : null)
  return planned === undefined ? (
    <q className={styles.words} title={name ?? id}>
      <bdi>
        <MarkedText text={name ?? id} />
      </bdi>
    </q>
  ) : (
    <span className="dim">what step {Number(planned) + 1} makes</span>
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
