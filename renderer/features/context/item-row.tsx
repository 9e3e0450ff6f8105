import { memo } from 'react'
import type { ContextItem } from '../../../core/contract/context.ts'
import { navigate } from '../../routes.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatCount, formatPercent, shortenId } from '../../ui/format.ts'
import { categoryColor, categoryLabel, categoryOf } from './category.ts'
import styles from './item-table.module.css'

type Props = {
  readonly item: ContextItem
  readonly index: number
  /** Tokens of all included items: what a share is a share of. */
  readonly windowTokens: number
  readonly isSelected: boolean
}

/** One item of the window. A click selects it, a double click opens it in the transcript. */
export const ItemRow = memo(function ItemRow({ item, index, windowTokens, isSelected }: Props) {
  const category = categoryOf(item)
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: keys move in the view; the id is the row's button
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      className={classNames(
        styles.row,
        isSelected && styles.selected,
        !item.included && styles.out,
        item.kind === 'missing' && styles.missing,
      )}
      role="row"
      aria-rowindex={index + 2}
      onClick={() => navigate({ selection: item.id }, 'push')}
      onDoubleClick={() => navigate({ view: 'transcript', selection: item.id }, 'push')}
    >
      <Cell>{item.included ? item.ordinal : '–'}</Cell>
      <Cell>
        <span className={styles.swatch} style={{ background: categoryColor(category) }} />
        {categoryLabel(category)}
      </Cell>
      <Cell>
        <button type="button" className={styles.id} title={item.id} aria-pressed={isSelected}>
          <bdi>{shortenId(item.id, 22)}</bdi>
        </button>
      </Cell>
      <Cell title={item.excerpt}>
        <bdi>{item.excerpt}</bdi>
      </Cell>
      <Cell isNumber>{formatCount(item.tokens)}</Cell>
      <Cell isNumber>{item.included && windowTokens > 0 ? formatPercent(item.tokens / windowTokens) : ''}</Cell>
      <Cell title={item.reason}>{item.reason}</Cell>
    </div>
  )
})

type CellProps = {
  readonly isNumber?: boolean
  readonly title?: string
  readonly children: React.ReactNode
}

function Cell({ isNumber = false, title, children }: CellProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    <span role="cell" className={isNumber ? styles.number : styles.cell} title={title}>
      {children}
    </span>
  )
}
