import { useMemo } from 'react'
import type { ContextDifference } from '#core/contract/time-travel.ts'
import { navigate, useRoutePart } from '#renderer/routes.ts'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { TextWithNames } from '#renderer/ui/texts/text-with-names.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { type DifferenceRow, differenceRows } from './difference-rows.ts'
import { itemColumns } from './item-table.tsx'
import { replacementsOf } from './replacements.ts'
import styles from './time-bar.module.css'
import type { Time } from './use-time.ts'

type Props = {
  readonly difference: ContextDifference
  readonly time: Time
  readonly opened: ReadonlySet<string>
  readonly onToggle: (key: string) => void
}

type ItemRow = Extract<DifferenceRow, { kind: 'item' }>

/** The items that entered the window, and below each the items that it replaced. */
export function DifferenceTable({ difference, time, opened, onToggle }: Props) {
  const selection = useRoutePart('selection')
  const replacements = useMemo(() => replacementsOf(difference), [difference])
  const rows = useMemo(
    () => differenceRows(replacements, time.timeline, time.runSteps, opened),
    [replacements, time, opened],
  )
  const selected = rows.find((row) => row.kind === 'item' && row.item.id === selection)
  return (
    <DataTable
      label="Items that came in and left"
      rows={rows}
      columns={COLUMNS}
      layout={styles.columns}
      keyOf={({ key }) => key}
      rowPx={27}
      selected={selected?.key ?? null}
      onSelect={(row) => row.kind === 'item' && navigate({ selection: row.item.id }, 'push')}
      rowClass={(row) =>
        row.kind === 'run' ? styles.run : row.kind === 'fold' ? styles.fold : row.sign === '−' ? styles.left : undefined
      }
      wide={(row) => (row.kind === 'item' ? null : <WideRow row={row} onToggle={onToggle} />)}
    />
  )
}

type WideProps = Pick<Props, 'onToggle'> & { readonly row: Exclude<DifferenceRow, ItemRow> }

/** A run, or the fold over many items that left. */
function WideRow({ row, onToggle }: WideProps) {
  if (row.kind === 'run')
    return (
      // biome-ignore lint/a11y/useSemanticElements: see the table
      // biome-ignore lint/a11y/useFocusableInteractive: see the table
      <div role="gridcell" className={styles.cell}>
        <span className={styles.title}>
          {row.title}
          {row.atMs !== null && (
            <span className={styles.differenceDim}>
              {' '}
              · <TimeText atMs={row.atMs} form="short" />
            </span>
          )}
        </span>
        <span className={styles.differenceFigures}>{row.figures}</span>
      </div>
    )
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus
    <div role="gridcell">
      <button type="button" className={styles.toggle} aria-expanded={row.isOpen} onClick={() => onToggle(row.key)}>
        <Icon name={row.isOpen ? 'chevronDown' : 'chevronRight'} />
        {plural(row.items, 'item')} left, {formatTokens(row.tokens)}
      </button>
    </div>
  )
}

/** Only rows with an item have columns. */
const itemOf = (row: DifferenceRow): ItemRow['item'] => {
  if (row.kind !== 'item') throw new Error(`a row of the kind ${row.kind} has no item`)
  return row.item
}

const COLUMNS: readonly Column<DifferenceRow>[] = [
  {
    id: 'change',
    title: <span className="unseen">change</span>,
    className: styles.sign,
    cell: (row) =>
      row.kind === 'item' && (
        <>
          <span aria-hidden="true">{row.sign}</span>
          <span className="unseen">{row.sign === '+' ? 'came in' : 'left'}</span>
        </>
      ),
    cellTitle: (row) => (row.kind !== 'item' ? undefined : row.sign === '+' ? 'came in' : 'left'),
  },
  ...itemColumns(itemOf),
  {
    id: 'why',
    title: 'why',
    className: styles.differenceDim,
    cell: (row) => row.kind === 'item' && <TextWithNames text={row.reason} />,
    cellTitle: (row) => (row.kind === 'item' ? row.reason : undefined),
  },
]
