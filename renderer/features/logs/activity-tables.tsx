import type { ActivityHistory } from '#core/contract/activity.ts'
import { errorText } from '#renderer/error-text.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import figures from '#renderer/ui/styles/figure-table.module.css'
import { formatCount, formatDuration } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import type { TimeRange } from './chart-scale.ts'
import styles from './logs-view.module.css'

type Props = { readonly history: ActivityHistory | undefined; readonly range: TimeRange | null }

/** The slow calls of the window by procedure, the slowest first. */
export function SlowCallTable({ history, range }: Props) {
  if (history === undefined) return <Loading what="the slow calls" />
  const rows = slowestByProcedure(history.slowCalls, range)
  if (rows.length === 0)
    return (
      <EmptyState title="No slow call">
        Every call of this time was answered within 200 ms, or none was made.
      </EmptyState>
    )
  return (
    <table className={`${figures.table} ${styles.table}`}>
      <thead>
        <tr>
          <th>procedure</th>
          <th>slowest</th>
          <th>typical slow one</th>
          <th>times</th>
          <th>last</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ procedure, slowestMs, medianMs, count, lastAtMs }) => (
          <tr key={procedure}>
            <td>
              <code>{procedure}</code>
            </td>
            <td>{formatDuration(slowestMs)}</td>
            <td>{formatDuration(medianMs)}</td>
            <td>{formatCount(count)}</td>
            <td>
              <TimeText atMs={lastAtMs} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type SlowProcedure = {
  readonly procedure: string
  readonly slowestMs: number
  readonly medianMs: number
  readonly count: number
  readonly lastAtMs: number
}

/** Sums up slow calls by procedure, those with the longest first. */
export function slowestByProcedure(
  calls: ActivityHistory['slowCalls'],
  range: TimeRange | null,
): readonly SlowProcedure[] {
  const within = calls.filter(({ atMs }) => range === null || (atMs >= range.fromMs && atMs <= range.toMs))
  return [...Map.groupBy(within, ({ procedure }) => procedure)]
    .map(([procedure, some]) => {
      const sorted = some.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
      return {
        procedure,
        slowestMs: sorted.at(-1) ?? 0,
        medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
        count: sorted.length,
        lastAtMs: Math.max(...some.map(({ atMs }) => atMs)),
      }
    })
    .sort((a, b) => b.slowestMs - a.slowestMs)
}

type JobProps = { readonly history: ActivityHistory | undefined; readonly range: TimeRange | null }
type Job = ActivityHistory['jobs'][number]

const STATES: Readonly<Record<Job['state'], string>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  cut_off: 'cut off: the program ended before the job did',
}

/** The jobs of this session and of earlier ones, newest first. */
export function JobTable({ history, range }: JobProps) {
  if (history === undefined) return <Loading what="the jobs" />
  const jobs = history.jobs
    .filter(({ startedAtMs: atMs }) => range === null || (atMs >= range.fromMs && atMs <= range.toMs))
    .toReversed()
  if (jobs.length === 0)
    return (
      <EmptyState title="No job in this time">
        Compactions, checks, repairs, imports and copies that the window starts are listed here, also after a restart.
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
