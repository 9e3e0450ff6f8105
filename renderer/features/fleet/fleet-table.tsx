import { useState } from 'react'
import type { FleetQuery, FleetRow } from '../../../core/contract/fleet.ts'
import { Chip } from '../../ui/chip.tsx'
import { formatCompact, formatCount, formatPressure, plainName } from '../../ui/format.ts'
import { PressureBar } from '../../ui/pressure-bar.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { useListKeys } from '../../ui/use-list-keys.ts'
import styles from './fleet-table.module.css'
import { ALARM_TEXTS } from './narrowed.ts'
import type { OpenedRow } from './use-opening.ts'

type Sort = FleetQuery['sort']

type Props = {
  readonly rows: readonly FleetRow[]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  readonly onTenant: (tenant: string) => void
  readonly opened: OpenedRow | null
  readonly onOpen: (row: FleetRow) => void
}

const COLUMNS: readonly (readonly [Sort, string, string])[] = [
  ['messages', 'messages', 'Messages'],
  ['pressure', 'window', 'Tokens of the window, as a share of your budget'],
  ['ingest', 'last message', 'When the newest message was stored'],
  ['run', 'last run', 'When the newest compaction began'],
  ['failures', 'failed', 'Compactions that failed'],
  ['findings', 'findings', 'Errors and warnings of the last check: lcm fleet --check'],
  ['growth', 'today', 'Tokens of messages that were stored today (UTC)'],
]

/** One row for each conversation. `j` and `k` move, Enter opens. */
export function FleetTable({ rows, sort, onSort, onTenant, opened, onOpen }: Props) {
  const [at, setAt] = useState(0)
  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index))
    setAt(next)
    document.getElementById(rowId(next))?.scrollIntoView({ block: 'nearest' })
  }
  useListKeys({
    move: (steps) => moveTo(at + steps),
    start: () => moveTo(0),
    end: () => moveTo(rows.length - 1),
    open: () => {
      const row = rows[at]
      if (row !== undefined) onOpen(row)
    },
  })
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">conversation</th>
            <th scope="col">tenant</th>
            {COLUMNS.map(([order, name, title]) => (
              <th key={order} scope="col" aria-sort={sort === order ? 'descending' : undefined}>
                <button type="button" title={title} onClick={() => onSort(order)}>
                  {name}
                  {sort === order && <span aria-hidden="true"> ↓</span>}
                </button>
              </th>
            ))}
            <th scope="col">alarms</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr
              key={`${row.tenant} ${row.conversationId}`}
              id={rowId(index)}
              aria-selected={index === at}
              aria-busy={opened === row}
              onClick={() => setAt(index)}
              onDoubleClick={() => onOpen(row)}
            >
              <td className={styles.name}>
                <button type="button" onClick={() => onOpen(row)} title={`Open conversation ${row.conversationId}`}>
                  <bdi>{plainName(row.label) || `conversation ${row.conversationId}`}</bdi>
                </button>
              </td>
              <td className={styles.tenant}>
                <button type="button" title="Only this tenant" onClick={() => onTenant(row.tenant)}>
                  <bdi>{plainName(row.tenant)}</bdi>
                </button>
              </td>
              <Figures row={row} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const rowId = (index: number): string => `fleet-row-${index}`

function Figures({ row }: { readonly row: FleetRow }) {
  return (
    <>
      <td>{formatCount(row.messages)}</td>
      <td>
        <span className={styles.window}>
          <PressureBar pressure={row.pressure} activeShare={null} softThreshold={0.75} hardThreshold={1} />
          {formatPressure(row.pressure)}
        </span>
      </td>
      <td>{row.lastIngestAtMs === null ? '–' : <TimeText atMs={row.lastIngestAtMs} />}</td>
      <td>{row.lastRunAtMs === null ? '–' : <TimeText atMs={row.lastRunAtMs} />}</td>
      <td data-bad={row.failedRuns > 0 || undefined}>
        {row.runs === 0 ? '–' : `${formatCount(row.failedRuns)} of ${formatCount(row.runs)}`}
      </td>
      <td
        data-bad={(row.findings ?? 0) > 0 || undefined}
        data-old={(row.findings !== null && !row.isCheckCurrent) || undefined}
      >
        <span title={findingsTitle(row)}>{row.findings === null ? '–' : formatCount(row.findings)}</span>
      </td>
      <td>{row.growthTokens === 0 ? '–' : `+${formatCompact(row.growthTokens)}`}</td>
      <td className={styles.alarms}>
        {row.alarms.map((alarm) => (
          <Chip key={alarm} tone="warning">
            {ALARM_TEXTS[alarm]}
          </Chip>
        ))}
      </td>
    </>
  )
}

function findingsTitle({ findings, isCheckCurrent }: FleetRow): string {
  if (findings === null) return 'Not checked yet: lcm fleet --check'
  return isCheckCurrent ? 'Nothing was written since it was checked' : 'Something was written since it was checked'
}
