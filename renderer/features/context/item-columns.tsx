import type { ContextItem } from '../../../core/contract/context.ts'
import type { Pruned } from '../../../core/contract/message.ts'
import { Chip } from '../../ui/chip.tsx'
import { classNames } from '../../ui/class-names.ts'
import type { Column } from '../../ui/data-table.tsx'
import { formatCount, shortenId } from '../../ui/format.ts'
import { withSigns } from '../../ui/hidden-characters.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import { useName } from '../../ui/use-names.ts'
import { categoryColor, categoryLabel, categoryOf } from './category.ts'
import styles from './context-view.module.css'

type Item = Pick<ContextItem, 'id' | 'kind' | 'role' | 'depth' | 'excerpt' | 'tokens' | 'pruned'>

/** The columns of an item: its kind, what it says, its id and its tokens. */
export const itemColumns = <R,>(itemOf: (row: R) => Item): readonly Column<R>[] => [
  {
    id: 'kind',
    title: 'kind',
    className: styles.kind,
    cell: (row) => {
      const category = categoryOf(itemOf(row))
      return (
        <>
          <span className={styles.itemSwatch} style={{ background: categoryColor(category) }} />
          {categoryLabel(category)}
        </>
      )
    },
  },
  {
    id: 'content',
    title: 'content',
    cell: (row) => <ItemText item={itemOf(row)} />,
    cellTitle: (row) => withSigns(itemOf(row).excerpt),
  },
  {
    id: 'id',
    title: 'id',
    cell: (row) => (
      <span className={styles.id} title={itemOf(row).id}>
        <bdi>{shortenId(itemOf(row).id, 12)}</bdi>
      </span>
    ),
  },
  {
    id: 'tokens',
    title: 'tokens',
    className: styles.number,
    cell: (row) => formatCount(itemOf(row).tokens),
    cellTitle: (row) => {
      const { tokens, pruned } = itemOf(row)
      return pruned ? wholeText(tokens, pruned) : undefined
    },
  },
]

function ItemText({ item }: { readonly item: Item }) {
  const name = useName(item.kind === 'message' ? null : item.id)
  return (
    <span className={classNames(item.pruned && styles.pruned)}>
      {item.pruned && <Chip title="The agent took the text out of its window: the model does not see it">pruned</Chip>}
      <bdi>
        <MarkedText text={name ?? item.excerpt} />
      </bdi>
    </span>
  )
}

const wholeText = (tokens: number, pruned: Pruned): string =>
  `${formatCount(tokens + pruned.tokens)} tokens as it is stored; ${formatCount(pruned.tokens)} of them were pruned`
