import { useMutation, useQuery } from '@tanstack/react-query'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { Job } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { plural } from '#renderer/ui/texts/format.ts'
import { RepairOutcome } from './repair-outcome.tsx'
import styles from './repair-panel.module.css'
import { RepairPlanList } from './repair-plan-list.tsx'

type Props = {
  readonly info: MemoryInfo
  /** Opens the backups. A path names the one to select. */
  readonly onUndo: (backup?: string) => void
  /** Offers a copy of everything that can still be read. */
  readonly onSalvage: () => void
}

/** Id of the panel's element, which takes the focus. */
export const REPAIR_PLAN = 'repair-plan'

/** Finds pages that do not fit together. */
const PAGE_CHECK = 'sqlite_integrity'

const isSoundReport = ({ counts }: IntegrityReport): boolean => counts.error + counts.warning === 0

/** Whether there is something to repair, or the result of a repair to show. */
export function useHasPlan(): boolean {
  const report = useQuery(api.integrity.last.queryOptions())
  const jobs = useQuery(api.jobs.list.queryOptions())
  return (!!report.data && !isSoundReport(report.data)) || !!jobs.data?.some(({ kind }) => kind === 'repair')
}

/** What can be done about the findings: the plan, its application, and the result. */
export function RepairPanel({ info, onUndo, onSalvage }: Props) {
  const report = useQuery(api.integrity.last.queryOptions())
  const plan = useQuery(api.repair.last.queryOptions())
  const jobs = useQuery(api.jobs.list.queryOptions())
  const start = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => jobs.refetch() }))
  const newest = (kind: Job['kind']) => jobs.data?.find((job) => job.kind === kind) ?? null
  const repair = newest('repair')
  const planning = newest('repair_plan')
  const isScanning = newest('integrity')?.state === 'running'
  const isSound = !!report.data && isSoundReport(report.data)
  const steps = plan.data?.steps ?? []
  const hasBadPages = report.data?.checks.some((check) => check.id === PAGE_CHECK && check.count > 0) ?? false
  return (
    <section id={REPAIR_PLAN} className={styles.panel} aria-label="Repair plan" tabIndex={-1}>
      <div className={styles.heading}>
        <SectionHeading>Repair plan{steps.length > 0 && ` · ${plural(steps.length, 'step')}`}</SectionHeading>
      </div>
      {repair?.state === 'running' ? (
        <div className={styles.block}>
          <JobProgress job={repair} title="Repairing…" />
          <p className="dim">Until the second check has passed nothing is kept, and cancelling changes nothing.</p>
        </div>
      ) : (
        repair !== null && <RepairOutcome job={repair} jobs={jobs.data ?? []} onUndo={onUndo} />
      )}
      {hasBadPages && (
        <div className={styles.block}>
          <p>
            SQLite itself finds this file damaged. What can still be read can be saved row by row into a new file, with
            a list of what cannot; this one stays as it is.
          </p>
          <Button onClick={onSalvage}>Salvage what can be read…</Button>
        </div>
      )}
      {planning?.state === 'running' ? (
        <div className={styles.block}>
          <JobProgress job={planning} title="Planning repairs…" />
        </div>
      ) : planning?.state === 'failed' && planning.error !== null ? (
        <ErrorState error={planning.error} onRetry={() => start.mutate({ kind: 'repair_plan' })} />
      ) : plan.data && steps.length > 0 ? (
        <RepairPlanList
          key={plan.data.planId}
          plan={plan.data}
          info={info}
          isBusy={repair?.state === 'running'}
          onApply={(input) => start.mutate({ kind: 'repair', ...input })}
        />
      ) : (
        <div className={styles.block}>
          <p className="dim">
            {report.data === null || report.data === undefined
              ? 'After a check, what can be repaired is listed here: what each step changes, row by row, and what it cannot bring back.'
              : isScanning
                ? 'The file is being checked.'
                : isSound
                  ? 'There is nothing to repair.'
                  : planning?.state === 'cancelled'
                    ? 'Planning was cancelled.'
                    : 'No step is known for what was found.'}
          </p>
          {planning?.state === 'cancelled' && !isSound && (
            <Button disabled={start.isPending} onClick={() => start.mutate({ kind: 'repair_plan' })}>
              Plan repairs
            </Button>
          )}
        </div>
      )}
      {start.error !== null && <ErrorState error={start.error} />}
    </section>
  )
}
