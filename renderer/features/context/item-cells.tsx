import type { ContextItem } from '../../../core/contract/context.ts'
import { formatCount, shortenId } from '../../ui/format.ts'
import { categoryColor, categoryLabel, categoryOf } from './category.ts'
import { TableCell } from './table-cell.tsx'
import styles from './window-table.module.css'

type Props = {
  readonly item: Pick<ContextItem, 'id' | 'kind' | 'role' | 'depth' | 'excerpt' | 'tokens'>
  readonly isSelected: boolean
}

/** What an item is, its id, how it begins and how many tokens it takes: four cells of its row. */
export function ItemCells({ item, isSelected }: Props) {
  const category = categoryOf(item)
  return (
    <>
      <TableCell className={styles.cell}>
        <span className={styles.swatch} style={{ background: categoryColor(category) }} />
        {categoryLabel(category)}
      </TableCell>
      <TableCell className={styles.cell}>
        <button type="button" className={styles.id} title={item.id} aria-pressed={isSelected}>
          <bdi>{shortenId(item.id, 22)}</bdi>
        </button>
      </TableCell>
      <TableCell className={styles.cell} title={item.excerpt}>
        <bdi>{item.excerpt}</bdi>
      </TableCell>
      <TableCell className={styles.number}>{formatCount(item.tokens)}</TableCell>
    </>
  )
}
