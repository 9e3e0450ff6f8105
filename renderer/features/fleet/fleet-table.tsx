import { useState } from 'react'
import type { ListRange } from 'react-virtuoso'
import type { FleetQuery, FleetRow } from '#core/contract/fleet.ts'
import { FLEET_SORTS } from '#core/contract/lists.ts'
import { PressureBar } from '#renderer/ui/charts/pressure-bar.tsx'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import { formatCompact, formatCount, formatPressure, plainName } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { ALARM_TEXTS } from './fleet-filters.tsx'
import styles from './fleet-table.module.css'

type Props = {
  readonly rows: readonly FleetRow[]
  /** The number of all rows, where it is known. */
  readonly total: number | undefined
  readonly sort: FleetQuery['sort']
  readonly onSort: (sort: FleetQuery['sort']) => void
  readonly onTenant: (tenant: string) => void
  readonly onOpen: (row: FleetRow) => void
  readonly onRange: (range: ListRange) => void
  readonly onEnd: () => void
}

/** Conversations of all tenants, page by page as the table is scrolled. */
export function FleetTable({ rows, total, sort, onSort, onTenant, onOpen, onRange, onEnd }: Props) {
  const [selected, setSelected] = useState<string | null>(null)
  return (
    <DataTable
      label="Conversations of all tenants"
      rows={rows}
      total={total}
      columns={columnsOf(onTenant, onOpen)}
      layout={styles.columns}
      keyOf={rowKey}
      rowPx={30}
      selected={selected}
      onSelect={(row) => setSelected(rowKey(row))}
      onOpen={onOpen}
      isMain
      onRange={onRange}
      onEnd={onEnd}
      sort={{ by: sort, isDescending: true, onSort: (id) => onSort(FLEET_SORTS.find((one) => one === id) ?? sort) }}
    />
  )
}

export const rowKey = ({ tenant, conversationId }: FleetRow): string =>
  `${encodeURIComponent(tenant)}/${conversationId}`

const columnsOf = (
  onTenant: (tenant: string) => void,
  onOpen: (row: FleetRow) => void,
): readonly Column<FleetRow>[] => [
  {
    id: 'conversation',
    title: 'conversation',
    isSortable: false,
    cell: (row) => (
      <button
        type="button"
        className={styles.name}
        tabIndex={-1}
        title={`Open conversation ${row.conversationId}`}
        onClick={() => onOpen(row)}
      >
        <bdi>{plainName(row.label) || `conversation ${row.conversationId}`}</bdi>
      </button>
    ),
  },
  {
    id: 'tenant',
    title: 'tenant',
    isSortable: false,
    cell: ({ tenant }) => (
      <button
        type="button"
        className={styles.tenant}
        tabIndex={-1}
        title="Only this tenant"
        onClick={() => onTenant(tenant)}
      >
        <bdi>{plainName(tenant)}</bdi>
      </button>
    ),
  },
  {
    id: 'messages',
    title: 'messages',
    hint: 'Messages',
    className: styles.figure,
    cell: ({ messages }) => formatCount(messages),
  },
  {
    id: 'pressure',
    title: 'window',
    hint: 'Tokens of the window, as a share of your budget',
    className: styles.figure,
    cell: ({ pressure }) => (
      <span className={styles.window}>
        <PressureBar pressure={pressure} activeShare={null} softThreshold={0.75} hardThreshold={1} />
        {formatPressure(pressure)}
      </span>
    ),
  },
  {
    id: 'ingest',
    title: 'last message',
    hint: 'When the newest message was stored',
    className: styles.figure,
    cell: ({ lastIngestAtMs }) => <Time atMs={lastIngestAtMs} />,
  },
  {
    id: 'run',
    title: 'last run',
    hint: 'When the newest compaction began',
    className: styles.figure,
    cell: ({ lastRunAtMs }) => <Time atMs={lastRunAtMs} />,
  },
  {
    id: 'failures',
    title: 'failed',
    hint: 'Compactions that failed',
    className: styles.figure,
    cell: ({ runs, failedRuns }) => (
      <span data-bad={failedRuns > 0 || undefined}>
        {runs === 0 ? '–' : `${formatCount(failedRuns)} of ${formatCount(runs)}`}
      </span>
    ),
  },
  {
    id: 'findings',
    title: 'findings',
    hint: 'Errors and warnings of the last check: lcm fleet --check',
    className: styles.figure,
    cell: ({ findings, isCheckCurrent }) => (
      <span data-bad={(findings ?? 0) > 0 || undefined} data-old={(findings !== null && !isCheckCurrent) || undefined}>
        {findings === null ? '–' : formatCount(findings)}
      </span>
    ),
    cellTitle: findingsTitle,
  },
  {
    id: 'growth',
    title: 'today',
    hint: 'Tokens of messages that were stored today (UTC)',
    className: styles.figure,
    cell: ({ growthTokens }) => (growthTokens === 0 ? '–' : `+${formatCompact(growthTokens)}`),
  },
  {
    id: 'alarms',
    title: 'alarms',
    isSortable: false,
    className: styles.alarms,
    cell: ({ alarms }) =>
      alarms.map((alarm) => (
        <Chip key={alarm} tone="warning">
          {ALARM_TEXTS[alarm]}
        </Chip>
      )),
    cellTitle: ({ alarms }) => alarms.map((alarm) => ALARM_TEXTS[alarm]).join(', ') || undefined,
  },
]

const Time = ({ atMs }: { readonly atMs: number | null }) => (atMs === null ? '–' : <TimeText atMs={atMs} />)

function findingsTitle({ findings, isCheckCurrent }: FleetRow): string {
  if (findings === null) return 'Not checked yet: lcm fleet --check'
  return isCheckCurrent ? 'Nothing was written since it was checked' : 'Something was written since it was checked'
}
