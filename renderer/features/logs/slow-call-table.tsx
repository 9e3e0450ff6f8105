import type { ActivityHistory } from '../../../core/contract/activity.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import figures from '../../ui/figure-table.module.css'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import type { TimeRange } from './chart-scale.ts'
import styles from './logs-view.module.css'
import { slowestByProcedure } from './slow-calls.ts'

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
