import type { ContextItem } from '../../../core/contract/context.ts'
import type { Pruned } from '../../../core/contract/message.ts'
import { Chip } from '../../ui/chip.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatCount, shortenId } from '../../ui/format.ts'
import { withSigns } from '../../ui/hidden-characters.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import { useName } from '../../ui/use-names.ts'
import { categoryColor, categoryLabel, categoryOf } from './category.ts'
import { TableCell } from './table-cell.tsx'
import styles from './window-table.module.css'

type Props = {
  readonly item: Pick<ContextItem, 'id' | 'kind' | 'role' | 'depth' | 'excerpt' | 'tokens' | 'pruned'>
  readonly isSelected: boolean
}

/** Four cells of a row: the kind of the item, what it says, its id and its tokens. */
export function ItemCells({ item, isSelected }: Props) {
  const category = categoryOf(item)
  const name = useName(item.kind === 'message' ? null : item.id)
  return (
    <>
      <TableCell className={styles.cell}>
        <span className={styles.swatch} style={{ background: categoryColor(category) }} />
        {categoryLabel(category)}
      </TableCell>
      <TableCell className={classNames(styles.cell, item.pruned && styles.pruned)} title={withSigns(item.excerpt)}>
        {item.pruned && (
          <Chip title="The agent took the text out of its window: the model does not see it">pruned</Chip>
        )}
        <bdi>
          <MarkedText text={name ?? item.excerpt} />
        </bdi>
      </TableCell>
      <TableCell className={styles.cell}>
        <button type="button" className={styles.id} title={item.id} aria-pressed={isSelected}>
          <bdi>{shortenId(item.id, 12)}</bdi>
        </button>
      </TableCell>
      <TableCell className={styles.number} title={item.pruned && wholeText(item.tokens, item.pruned)}>
        {formatCount(item.tokens)}
      </TableCell>
    </>
  )
}

const wholeText = (tokens: number, pruned: Pruned): string =>
  `${formatCount(tokens + pruned.tokens)} tokens as it is stored; ${formatCount(pruned.tokens)} of them were pruned`
