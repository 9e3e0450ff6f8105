import { memo } from 'react'
import { navigate } from '../../routes.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatTokens, plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import type { DifferenceRow } from './difference-rows.ts'
import styles from './difference-table.module.css'
import { ItemCells } from './item-cells.tsx'
import { TableCell } from './table-cell.tsx'
import table from './window-table.module.css'

type Props = {
  readonly row: DifferenceRow
  readonly index: number
  readonly selection: string | null
  readonly onToggle: (key: string) => void
}

/** A run, an item that came in or left, or the fold over many that left. */
export const DifferenceLine = memo(function DifferenceLine({ row, index, selection, onToggle }: Props) {
  if (row.kind === 'run')
    return (
      <Row index={index} className={classNames(table.row, styles.run)}>
        <TableCell className={styles.title}>
          {row.title}
          {row.atMs !== null && (
            <span className={styles.dim}>
              {' '}
              · <TimeText atMs={row.atMs} form="short" />
            </span>
          )}
        </TableCell>
        <TableCell className={styles.figures}>{row.figures}</TableCell>
      </Row>
    )
  if (row.kind === 'fold')
    return (
      <Row index={index} className={classNames(table.row, styles.fold)}>
        <TableCell>
          <button type="button" className={styles.toggle} aria-expanded={row.isOpen} onClick={() => onToggle(row.key)}>
            <Icon name={row.isOpen ? 'chevronDown' : 'chevronRight'} />
            {plural(row.items, 'item')} left, {formatTokens(row.tokens)}
          </button>
        </TableCell>
      </Row>
    )
  const { item, sign, reason } = row
  const isSelected = item.id === selection
  return (
    <Row
      index={index}
      className={classNames(table.row, styles.columns, sign === '−' && styles.left, isSelected && table.selected)}
      onClick={() => navigate({ selection: item.id }, 'push')}
    >
      <TableCell className={styles.sign} title={sign === '+' ? 'came in' : 'left'}>
        <span aria-hidden="true">{sign}</span>
        <span className="unseen">{sign === '+' ? 'came in' : 'left'}</span>
      </TableCell>
      <ItemCells item={item} isSelected={isSelected} />
      <TableCell className={table.cell} title={reason}>
        {reason}
      </TableCell>
    </Row>
  )
})

type RowProps = {
  readonly index: number
  readonly className: string | undefined
  readonly onClick?: () => void
  readonly children: React.ReactNode
}

function Row({ index, className, onClick, children }: RowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: the id is the row's button
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div role="row" aria-rowindex={index + 2} className={className} onClick={onClick}>
      {children}
    </div>
  )
}
