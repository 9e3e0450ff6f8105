import type { MapRun } from '../../../core/contract/map.ts'
import { Chip } from '../../ui/chip.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './map-table.module.css'
import { countsText, operatorText, statusHint, statusTone } from './run-wording.ts'

type Props = {
  /** The newest first. */
  readonly runs: readonly MapRun[]
  readonly chosen: string
  readonly onChoose: (key: string) => void
}

const ROW_PX = 30
/** A few runs take no more room than they need. */
const MOST_ROWS_IN_SIGHT = 8

/** The recorded runs, one of which is selected. */
export function RunTable({ runs, chosen, onChoose }: Props) {
  return (
    <DataTable
      label="Runs"
      rows={runs}
      columns={COLUMNS}
      layout={styles.runs}
      keyOf={({ key }) => key}
      rowPx={ROW_PX}
      heightPx={Math.min(runs.length, MOST_ROWS_IN_SIGHT) * ROW_PX}
      hasHeads={false}
      selected={chosen}
      onSelect={({ key }) => onChoose(key)}
      isMain
    />
  )
}

const COLUMNS: readonly Column<MapRun>[] = [
  {
    id: 'status',
    title: 'status',
    cell: (run) => (
      <Chip tone={statusTone(run.status)} title={statusHint(run)}>
        {run.status}
      </Chip>
    ),
  },
  { id: 'operation', title: 'operation', cell: (run) => <bdi>{operatorText(run)}</bdi>, cellTitle: operatorText },
  { id: 'counts', title: 'items', cell: countsText },
  { id: 'actor', title: 'by', className: styles.dim, cell: ({ actor }) => actor !== null && <bdi>{actor}</bdi> },
  { id: 'time', title: 'begun', className: styles.time, cell: ({ atMs }) => <TimeText atMs={atMs} /> },
]
