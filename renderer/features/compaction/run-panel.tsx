import { useMutation } from '@tanstack/react-query'
import type { CompactionResult, UndoneCompaction } from '#core/contract/compaction.ts'
import type { Job } from '#core/contract/job.ts'
import type { CompactionRunRecord } from '#core/contract/time-travel.ts'
import { api } from '#renderer/api.ts'
import { LAST_RUN, NO_COMPARISON } from '#renderer/compare-address.ts'
import { useLink } from '#renderer/routes.ts'
import { ProgressBar } from '#renderer/ui/charts/progress-bar.tsx'
import { Button } from '#renderer/ui/controls/button.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { formatDuration } from '#renderer/ui/texts/format.ts'
import { isUndone, jobText, stopReasonText } from '#renderer/ui/texts/job-text.ts'
import { beforeAfterText, levelsText, resultTitle, spentText } from './compaction-wording.ts'
import { LossesOfRun } from './run-losses.tsx'
import { RunNodes } from './run-nodes.tsx'
import styles from './run-panel.module.css'
import { type RunUndo, UndoFacts, UndoRun, useUndo } from './undo-run.tsx'
import { useCreated } from './use-run.ts'

const BEFORE_AND_AFTER = { ...NO_COMPARISON, a: { ...NO_COMPARISON.a, window: LAST_RUN } }

/** A running compaction with its progress and a button to cancel it. */
export function RunProgress({ job }: { readonly job: Job }) {
  const cancel = useMutation(api.jobs.cancel.mutationOptions())
  const text = jobText(job)
  return (
    <section className={styles.panel} aria-busy="true">
      <div className={styles.head}>
        <h2 className={styles.title}>{text}</h2>
        <span className={styles.note}>
          {job.progress?.note}
          {typeof job.progress?.createdId === 'string' && (
            <>
              {' · newest '}
              <NodeLink id={job.progress.createdId} /> {job.progress.level}
            </>
          )}
        </span>
        <Button disabled={cancel.isPending || cancel.isSuccess} onClick={() => cancel.mutate({ jobId: job.jobId })}>
          {cancel.isSuccess ? 'Cancelling…' : 'Cancel'}
        </Button>
      </div>
      <ProgressBar label={text} done={job.progress?.done ?? 0} total={job.progress?.total ?? 0} />
    </section>
  )
}

type Props = {
  /** The newest compaction of this conversation in this window. */
  readonly job: Job | null
  /** Why the last compaction could not start. */
  readonly startError: unknown
  readonly conversationId: number
  /** The runs that the file records, newest first. */
  readonly runs: readonly CompactionRunRecord[]
  /** The file may be written. */
  readonly canWrite: boolean
}

/** What a run has made so far, or its result. */
export function RunPanel({ job, startError, conversationId, runs, canWrite }: Props) {
  if (startError !== null) return <ErrorState error={startError} />
  if (job === null) return null
  if (job.state === 'running') {
    const run = runs.find(({ startedAtMs }) => startedAtMs >= job.startedAtMs)
    return <SoFar {...{ conversationId }} runId={run?.runId ?? null} />
  }
  if (job.result?.kind === 'compact') return <Outcome result={job.result.value} {...{ runs, canWrite }} />
  if (job.state === 'failed' && job.error !== null) return <ErrorState error={job.error} />
  return (
    <section className={styles.panel}>
      <h2 className={styles.title}>Cancelled</h2>
      <p className="dim">What was committed before stays valid; the plan below starts from there.</p>
    </section>
  )
}

function SoFar({ conversationId, runId }: { readonly conversationId: number; readonly runId: string | null }) {
  const created = useCreated(conversationId, runId)
  if (created === undefined || created.length === 0) return null
  return (
    <section className={styles.panel} aria-label="Summaries of this compaction so far">
      <div className={styles.nodes}>
        <RunNodes created={created.toReversed()} />
      </div>
    </section>
  )
}

type OutcomeProps = Pick<Props, 'runs' | 'canWrite'> & { readonly result: CompactionResult }

function Outcome({ result, runs, canWrite }: OutcomeProps) {
  const run = runs.find(({ runId }) => runId === result.runId)
  const undo = useUndo()
  if (run !== undefined && isUndone(run)) return <TakenBack undone={undo.result} />
  return <Made {...{ result, run, canWrite, undo }} />
}

function TakenBack({ undone }: { readonly undone: UndoneCompaction | null }) {
  return (
    <section className={styles.panel} role="status">
      <h2 className={styles.title}>Compaction taken back</h2>
      <p className="dim">The window is as it was before. The history keeps the run; the plan below starts anew.</p>
      {undone !== null && <UndoFacts undo={undone} />}
    </section>
  )
}

type MadeProps = {
  readonly result: CompactionResult
  readonly run: CompactionRunRecord | undefined
  readonly canWrite: boolean
  readonly undo: RunUndo
}

function Made({ result, run, canWrite, undo }: MadeProps) {
  const linkTo = useLink()
  const spent = run ? spentText(run) : null
  const created = useCreated(result.conversationId, result.runId)
  return (
    <section className={styles.panel}>
      <div role="status">
        <h2 className={styles.title}>{resultTitle(result)}</h2>
        <p>
          {beforeAfterText(result.tokensBefore, result.tokensAfter)}{' '}
          <span className="dim">
            · ended because {stopReasonText(result.stopReason)} · {formatDuration(result.durationMs)}
            {result.created.length > 0 && ` · ${levelsText(result.created)}`}
            {spent !== null && ` · ${spent}`}
          </span>
        </p>
        {result.skipped !== undefined && <p className="dim">{result.skipped}</p>}
        {result.created.length > 0 && (
          <div className={styles.actions}>
            <a href={linkTo({ view: 'compare', compare: BEFORE_AND_AFTER })}>Compare before and after</a>
            {canWrite && run !== undefined && (
              <UndoRun
                conversationId={result.conversationId}
                runId={run.runId}
                undo={undo}
                // Compacting again makes the same summaries, unless a model wrote them.
                click={result.created.every(({ level }) => level === 'deterministic') ? 'undoes' : 'asks'}
              />
            )}
          </div>
        )}
      </div>
      <div className={styles.nodes}>
        <RunNodes created={created ?? result.created.map((node) => ({ ...node, attempts: [], durationMs: 0 }))} />
      </div>
      {result.loss !== undefined && result.loss.counts.details > 0 && (
        <LossesOfRun report={result.loss} runId={result.runId} />
      )}
    </section>
  )
}
