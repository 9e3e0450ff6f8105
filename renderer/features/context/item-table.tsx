import { useMemo } from 'react'
import type { AssembledContext, ContextItem } from '../../../core/contract/context.ts'
import type { Pruned } from '../../../core/contract/message.ts'
import { navigate } from '../../routes.ts'
import { Chip } from '../../ui/chip.tsx'
import { classNames } from '../../ui/class-names.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatCount, formatPercent, shortenId } from '../../ui/format.ts'
import { withSigns } from '../../ui/hidden-characters.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import { useName } from '../../ui/use-names.ts'
import { categoryColor, categoryLabel, categoryOf } from './category.ts'
import styles from './context-view.module.css'

type Props = {
  readonly window: AssembledContext
  readonly selection: string | null
}

/** Every item of the window in the order in which the model sees it. Items that are left out are dimmed. */
export function ItemTable({ window, selection }: Props) {
  const { items, tokens } = window
  const columns = useMemo(() => columnsOf(tokens), [tokens])
  const selected = useMemo(
    () => (selection === null ? -1 : items.findIndex((item) => item.id === selection)),
    [items, selection],
  )
  const chosen = items[selected]
  return (
    <DataTable
      label="Items of the context window"
      rows={items}
      columns={columns}
      layout={styles.columns}
      keyOf={keyOf}
      rowPx={27}
      selected={chosen ? keyOf(chosen) : null}
      onSelect={(item) => navigate({ selection: item.id }, 'push')}
      isMain
      onOpen={(item) => navigate({ view: 'transcript', selection: item.id }, 'push')}
      rowClass={(item) => classNames(!item.included && styles.tableOut, item.kind === 'missing' && styles.missing)}
    />
  )
}

/** A damaged window may name an item twice. */
const keyOf = ({ ordinal, id }: ContextItem): string => `${ordinal} ${id}`

const columnsOf = (windowTokens: number): readonly Column<ContextItem>[] => [
  {
    id: '#',
    title: '#',
    className: styles.tableDim,
    cell: ({ included, ordinal }) => (included ? ordinal : '–'),
  },
  ...itemColumns<ContextItem>((item) => item),
  {
    id: 'share',
    title: 'share',
    className: styles.share,
    cell: ({ included, tokens }) => (included && windowTokens > 0 ? formatPercent(tokens / windowTokens) : ''),
  },
  {
    id: 'why',
    title: 'why',
    className: styles.why,
    cell: ({ reason }) => reason,
    cellTitle: ({ reason }) => reason,
  },
]

type Item = Pick<ContextItem, 'id' | 'kind' | 'role' | 'depth' | 'excerpt' | 'tokens' | 'pruned'>

/** The columns of an item: its kind, what it says, its id and its tokens. */
export const itemColumns = <R,>(itemOf: (row: R) => Item): readonly Column<R>[] => [
  {
    id: 'kind',
    title: 'kind',
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
