import { memo } from 'react'
import type { ContextItem } from '../../../core/contract/context.ts'
import { navigate } from '../../routes.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatPercent } from '../../ui/format.ts'
import { ItemCells } from './item-cells.tsx'
import styles from './item-table.module.css'
import { TableCell } from './table-cell.tsx'
import table from './window-table.module.css'

type Props = {
  readonly item: ContextItem
  readonly index: number
  /** The tokens of all included items, of which each item has a share. */
  readonly windowTokens: number
  readonly isSelected: boolean
}

/** One item of the window. A click selects it, a double click opens it in the transcript. */
export const ItemRow = memo(function ItemRow({ item, index, windowTokens, isSelected }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: keys move in the view; the id is the row's button
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      className={classNames(
        table.row,
        styles.columns,
        isSelected && table.selected,
        !item.included && styles.out,
        item.kind === 'missing' && styles.missing,
      )}
      role="row"
      aria-rowindex={index + 2}
      onClick={() => navigate({ selection: item.id }, 'push')}
      onDoubleClick={() => navigate({ view: 'transcript', selection: item.id }, 'push')}
    >
      <TableCell className={table.cell}>{item.included ? item.ordinal : '–'}</TableCell>
      <ItemCells item={item} isSelected={isSelected} />
      <TableCell className={classNames(table.number, styles.share)}>
        {item.included && windowTokens > 0 ? formatPercent(item.tokens / windowTokens) : ''}
      </TableCell>
      <TableCell className={table.cell} title={item.reason}>
        {item.reason}
      </TableCell>
    </div>
  )
})
