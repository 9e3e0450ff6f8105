import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import type { Job } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { ProgressBar } from '#renderer/ui/charts/progress-bar.tsx'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { ViewHeader } from '#renderer/ui/controls/view-header.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { jobText } from '#renderer/ui/texts/job-text.ts'
import { nextJob } from './next-job.ts'
import { REPAIR_PLAN, RepairPanel, useHasPlan } from './repair-panel.tsx'
import styles from './report-view.module.css'
import { CancelScan, ReportView } from './report-view.tsx'

type Props = {
  readonly info: MemoryInfo
  /** Opens the backups. A path names the one to select. */
  readonly onUndo: (backup?: string) => void
  /** Offers a copy of everything that can still be read. */
  readonly onSalvage: () => void
  /** Buttons for other checks. */
  readonly actions?: ReactNode
}

/** What is wrong with the file, or that nothing is, and beside it what can be done about it. */
export function IntegrityView({ info, onUndo, onSalvage, actions }: Props) {
  useFollowUp()
  const hasPlan = useHasPlan()
  useKeys({ r: toPlan })
  return (
    <div className={styles.health}>
      <div className={classNames(hasPlan && styles.withPlan)}>
        <div>
          <Findings
            hasPlan={hasPlan}
            actions={
              <>
                {!info.readOnly && <Button onClick={() => onUndo()}>Backups…</Button>}
                {actions}
              </>
            }
          />
        </div>
        {hasPlan && <RepairPanel info={info} onUndo={onUndo} onSalvage={onSalvage} />}
      </div>
    </div>
  )
}

/** The plan stands beside the findings, or below them where there is no room for both. */
function toPlan(): void {
  const plan = document.getElementById(REPAIR_PLAN)
  plan?.scrollIntoView({ block: 'nearest' })
  plan?.focus()
}

type FindingsProps = { readonly hasPlan: boolean; readonly actions: ReactNode }

function Findings({ hasPlan, actions }: FindingsProps) {
  const last = useQuery(api.integrity.last.queryOptions())
  const jobs = useQuery(api.jobs.list.queryOptions())
  const start = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => jobs.refetch() }))
  const newest = jobs.data?.find((job) => job.kind === 'integrity') ?? null
  const scan = () => start.mutate({ kind: 'integrity' })
  const error = start.error ?? last.error ?? (newest?.state === 'failed' ? newest.error : null)

  const running = newest?.state === 'running' ? newest : null
  // The last report stays in sight while there is one.
  if (running !== null && !last.data) return <ScanProgress job={running} />
  if (error && running === null) return <ErrorState error={error} onRetry={scan} />
  if (last.data === undefined) return <Loading what="the last report" />
  if (last.data === null)
    return (
      <EmptyState
        title="Not checked yet"
        actions={
          <>
            {actions}
            <Button look="primary" disabled={start.isPending} onClick={scan}>
              Check now
            </Button>
          </>
        }
      >
        Every check reads only. It says whether each message can still be reached, whether the lineage holds together,
        and whether the model’s window is what it should be.
      </EmptyState>
    )
  return (
    <ReportView
      report={last.data}
      scan={running}
      onScan={scan}
      onShowPlan={hasPlan ? toPlan : null}
      actions={actions}
    />
  )
}

/** A scan that is under way. */
function ScanProgress({ job }: { readonly job: Job }) {
  const { progress } = job
  const figures =
    progress === null ? 'starting' : `${progress.done} of ${progress.total || '?'} ${progress.unit} · ${progress.note}`
  return (
    <div aria-busy="true">
      <ViewHeader title="Checking…" actions={<CancelScan job={job} />}>
        {figures}
      </ViewHeader>
      <div className={styles.bar}>
        <ProgressBar label={jobText(job)} done={progress?.done ?? 0} total={progress?.total ?? 0} />
      </div>
    </div>
  )
}

/** Lets a scan be followed by its plan, and a repair by a scan, for as long as the view is open. Both only read. */
function useFollowUp(): void {
  const { data: jobs, refetch } = useQuery(api.jobs.list.queryOptions())
  const { data: report } = useQuery(api.integrity.last.queryOptions())
  // This is pending until the list of jobs contains what was started, so that nothing is started twice.
  const { mutate, isPending, isError } = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => refetch() }))
  const canStart = jobs !== undefined && report !== undefined && !isPending && !isError
  const kind = canStart ? nextJob({ jobs, report }) : null
  useEffect(() => {
    if (kind !== null) mutate({ kind })
  }, [kind, mutate])
}
