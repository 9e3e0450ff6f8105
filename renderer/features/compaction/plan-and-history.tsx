import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { CompactionPlan, CompactRequest } from '#core/contract/compaction.ts'
import type { CompactionRunRecord } from '#core/contract/time-travel.ts'
import { useShown, useShownChoice } from '#renderer/routes.ts'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { summarizerName } from '#renderer/ui/data/summarizers.ts'
import type { FollowedPreview } from '#renderer/ui/data/use-compaction-preview.ts'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount, formatDuration, plural } from '#renderer/ui/texts/format.ts'
import { isUndone, stopReasonText } from '#renderer/ui/texts/job-text.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './compaction-view.module.css'
import { beforeAfterText, canUndo, levelsText, madeBy, runText, spentText } from './compaction-wording.ts'
import { PlanTable } from './plan-table.tsx'
import { PromptDialog } from './prompt-dialog.tsx'
import { PastRunLosses } from './run-losses.tsx'
import { RunNodes } from './run-nodes.tsx'
import runPanelStyles from './run-panel.module.css'
import { UndoRun, useUndo } from './undo-run.tsx'
import { useCreated } from './use-run.ts'

type Props = {
  readonly request: CompactRequest
  readonly plan: UseQueryResult<CompactionPlan>
  /** What the plan would lose. */
  readonly preview: FollowedPreview
  /** The file may be written. */
  readonly canWrite: boolean
  readonly isPending: boolean
  readonly runs: UseQueryResult<CompactionRunRecord[]>
  readonly step: number | null
  readonly onStep: (step: number) => void
  /** The element that scrolls the lists. */
  readonly scroller: HTMLElement | null
}

const LISTS = ['plan', 'history'] as const

/** The plan of the next compaction, and earlier compactions. */
export function PlanAndHistory({ request, plan, preview, canWrite, isPending, runs, step, onStep, scroller }: Props) {
  const [shown, setShown] = useShownChoice('compact.list', LISTS)
  const [isPrompt, setPrompt] = useState(false)
  const count = runs.data?.length ?? 0
  const show = (number: number) => {
    onStep(number)
    setPrompt(true)
  }
  return (
    <section className={styles.section}>
      <div className={styles.head}>
        <SectionHeading
          aside={
            <Segmented
              label="What to list"
              options={[
                { value: 'plan', label: 'plan' },
                { value: 'history', label: count === 0 ? 'history' : `history ${formatCount(count)}` },
              ]}
              value={shown}
              onChange={setShown}
            />
          }
        >
          {shown === 'plan' ? 'Plan' : 'History'}
        </SectionHeading>
      </div>
      {shown === 'history' ? (
        <RunHistory conversationId={request.conversationId} runs={runs} canWrite={canWrite} />
      ) : plan.error && plan.data === undefined ? (
        <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />
      ) : plan.data === undefined ? (
        <Loading what="the plan" />
      ) : (
        <PlanTable
          {...{ plan: plan.data, preview, isPending, step, onStep, scroller }}
          isByModel={(request.summarizer ?? 'deterministic') !== 'deterministic'}
          onPrompt={show}
        />
      )}
      {isPrompt && plan.data && step !== null && (
        <PromptDialog {...{ request, step, onStep }} steps={plan.data.steps} onClose={() => setPrompt(false)} />
      )}
    </section>
  )
}

type RunHistoryProps = {
  readonly conversationId: number
  readonly runs: UseQueryResult<CompactionRunRecord[]>
  readonly canWrite: boolean
}

/** The runs that the file records, newest first. */
function RunHistory({ conversationId, runs, canWrite }: RunHistoryProps) {
  const [addressed] = useShown('compact.run')
  if (runs.error) return <ErrorState error={runs.error} onRetry={() => void runs.refetch()} />
  if (runs.data === undefined) return <Loading what="the history of compactions" />
  const isMissing = addressed !== null && !runs.data.some(({ runId }) => runId === addressed)
  if (runs.data.length === 0)
    return (
      <p className={runPanelStyles.none}>
        The file records no compaction. Other systems keep no such record; here each is written down with its summaries.
      </p>
    )
  return (
    <>
      {isMissing && (
        <p className={runPanelStyles.none} role="status">
          This conversation has no run <code>{addressed}</code>: the address is of another conversation or file.
        </p>
      )}
      <ul>
        {runs.data.map((run) => (
          <Run key={run.runId} {...{ conversationId, run, canWrite }} isAddressed={run.runId === addressed} />
        ))}
      </ul>
    </>
  )
}

type RunProps = {
  readonly conversationId: number
  readonly run: CompactionRunRecord
  readonly canWrite: boolean
}

function Run({ conversationId, run, canWrite, isAddressed }: RunProps & { readonly isAddressed: boolean }) {
  const [isOpen, setOpen] = useState(isAddressed)
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!isAddressed) return
    setOpen(true)
    item.current?.scrollIntoView({ block: 'nearest' })
  }, [isAddressed])
  return (
    <li className={runPanelStyles.run} ref={item}>
      <button type="button" className={runPanelStyles.row} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} />
        <span>
          <TimeText atMs={run.startedAtMs} form="short" />
        </span>
        <span className="dim">{runText(run)}</span>
        <span className="dim">{summarizerName(run.summarizer)}</span>
        <span>{run.pruned ? plural(run.pruned.outputs, 'output') : plural(madeBy(run), 'summary', 'summaries')}</span>
        <span className={runPanelStyles.tokens}>
          {isUndone(run)
            ? 'taken back'
            : run.tokensAfter === null
              ? 'not finished'
              : beforeAfterText(run.tokensBefore, run.tokensAfter)}
        </span>
      </button>
      {isOpen && <RunDetail {...{ conversationId, run, canWrite }} />}
    </li>
  )
}

function RunDetail({ conversationId, run, canWrite }: RunProps) {
  const { startedAtMs, finishedAtMs, stopReason } = run
  const undo = useUndo()
  const created = useCreated(conversationId, madeBy(run) > 0 ? run.runId : null) ?? []
  return (
    <div className={runPanelStyles.detail}>
      <Facts>
        <Fact name="ended">
          {stopReason === null ? 'not yet, or cut off' : `because ${stopReasonText(stopReason)}`}
        </Fact>
        <Fact name="took">{finishedAtMs === null ? null : formatDuration(finishedAtMs - startedAtMs)}</Fact>
        <Fact name="levels">{created.length === 0 ? null : levelsText(created)}</Fact>
        <Fact name="model tokens">{spentText(run) ?? 'none: no model was asked'}</Fact>
        <Fact name="pruned">
          {run.pruned ? `${formatCount(run.pruned.tokens)} tokens, without a summary (${run.pruned.by})` : null}
        </Fact>
        <Fact name="by">{run.owner}</Fact>
        <Fact name="id">
          <code>{run.runId}</code>
        </Fact>
      </Facts>
      {!isUndone(run) && <RunNodes created={created} />}
      {madeBy(run) > 0 && !isUndone(run) && (
        <div className={runPanelStyles.actions}>
          <PastRunLosses conversationId={conversationId} runId={run.runId} />
          {canWrite && canUndo(run) && (
            <UndoRun conversationId={conversationId} runId={run.runId} undo={undo} click="asks" />
          )}
        </div>
      )}
    </div>
  )
}
