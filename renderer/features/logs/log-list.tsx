import type { LogLine } from '../../../core/contract/activity.ts'
import { classNames } from '../../ui/class-names.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatDuration } from '../../ui/format.ts'
import { formatAbsolute, formatDate } from '../../ui/format-time.ts'
import { clockText, LEVEL_MARKS, lineText } from './line-text.ts'
import styles from './logs-view.module.css'

type Props = {
  readonly lines: readonly LogLine[]
  readonly chosen: LogLine | null
  readonly onChoose: (line: LogLine) => void
  readonly onEnd: () => void
  readonly keyOf: (line: LogLine) => string
}

/** The lines, newest first. Lines of the same run as the selected one have a rail at their side. */
export function LogList({ lines, chosen, onChoose, onEnd, keyOf }: Props) {
  const day = lines[0] === undefined ? 'time' : formatDate(Date.parse(lines[0].time))
  return (
    <DataTable
      label="Log"
      rows={lines}
      columns={[{ ...TIME, title: day }, ...COLUMNS]}
      layout={styles.columns}
      keyOf={keyOf}
      rowPx={26}
      selected={chosen === null ? null : keyOf(chosen)}
      onSelect={onChoose}
      isMain
      onEnd={onEnd}
      rowClass={({ level, compaction_id: run }) =>
        classNames(
          styles.line,
          run !== undefined && run === chosen?.compaction_id && styles.ofRun,
          level !== 'info' && styles[level],
        )
      }
    />
  )
}

const TIME: Column<LogLine> = {
  id: 'time',
  title: 'time',
  className: styles.dim,
  cell: ({ time }) => clockText(time),
  cellTitle: ({ time }) => formatAbsolute(Date.parse(time)),
}

const COLUMNS: readonly Column<LogLine>[] = [
  {
    id: 'level',
    title: <span className="unseen">level</span>,
    className: styles.mark,
    cell: ({ level }) => (
      <>
        <span aria-hidden="true">{LEVEL_MARKS[level].mark}</span>
        <span className="unseen">{LEVEL_MARKS[level].name}</span>
      </>
    ),
    cellTitle: ({ level }) => LEVEL_MARKS[level].name,
  },
  { id: 'source', title: 'source', className: styles.dim, cell: ({ source }) => source },
  { id: 'event', title: 'event', className: styles.event, cell: ({ event }) => event, cellTitle: ({ event }) => event },
  { id: 'message', title: 'message', cell: lineText, cellTitle: lineText },
  {
    id: 'took',
    title: 'took',
    className: styles.took,
    cell: ({ duration_ms: took }) => took !== undefined && formatDuration(took),
  },
]
