import type { ActivityHistory } from '../../../core/contract/activity.ts'
import { errorText } from '../../error-text.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import figures from '../../ui/figure-table.module.css'
import { formatDuration } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import type { TimeRange } from './chart-scale.ts'
import styles from './logs-view.module.css'

type Props = { readonly history: ActivityHistory | undefined; readonly range: TimeRange | null }
type Job = ActivityHistory['jobs'][number]

const STATES: Readonly<Record<Job['state'], string>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  cut_off: 'cut off: the program ended before the job did',
}

/** The jobs of this session and of earlier ones, newest first. */
export function JobTable({ history, range }: Props) {
  if (history === undefined) return <Loading what="the jobs" />
  const jobs = history.jobs
    .filter(({ startedAtMs: atMs }) => range === null || (atMs >= range.fromMs && atMs <= range.toMs))
    .toReversed()
  if (jobs.length === 0)
    return (
      <EmptyState title="No job in this time">
        Compactions, scans, repairs, imports and copies that the window starts are listed here, also after a restart.
      </EmptyState>
    )
  return (
    <table className={`${figures.table} ${styles.table}`}>
      <thead>
        <tr>
          <th>job</th>
          <th>conversation</th>
          <th>began</th>
          <th>took</th>
          <th>ended</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.jobId} title={job.jobId}>
            <td>{job.kind.replace('_', ' ')}</td>
            <td>{job.conversationId ?? '–'}</td>
            <td>
              <TimeText atMs={job.startedAtMs} form="short" />
            </td>
            <td>{job.finishedAtMs === null ? '–' : formatDuration(job.finishedAtMs - job.startedAtMs)}</td>
            <td>{outcomeText(job)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const outcomeText = ({ state, errorCode }: Job): string =>
  state === 'failed' && errorCode !== null ? `failed: ${errorText(errorCode).title}` : STATES[state]
