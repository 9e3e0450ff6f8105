import { useMemo, useState } from 'react'
import type { AssembledContext, ContextItem } from '#core/contract/context.ts'
import type { Pruned } from '#core/contract/message.ts'
import { navigate } from '#renderer/routes.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { MessageName } from '#renderer/ui/nodes/message-name.tsx'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { formatCount, formatPercent, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { withSigns } from '#renderer/ui/texts/hidden-characters.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TextWithNames } from '#renderer/ui/texts/text-with-names.tsx'
import { categoryColor, categoryLabel, categoryOf } from './category.ts'
import styles from './context-view.module.css'
import { type ItemRow, itemRows } from './item-rows.ts'

type Props = {
  readonly window: AssembledContext
  readonly selection: string | null
}

/** Every item of the window in the order in which the model sees it. Items that are left out are dimmed. */
export function ItemTable({ window, selection }: Props) {
  const { items, tokens } = window
  const columns = useMemo(() => columnsOf(tokens), [tokens])
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(NONE)
  const rows = useMemo(() => itemRows(items, unfolded, selection), [items, unfolded, selection])
  const chosen = useMemo(
    () => (selection === null ? undefined : rows.find((row) => row.kind === 'item' && row.item.id === selection)),
    [rows, selection],
  )
  const unfold = (key: string) => setUnfolded(new Set([...unfolded, key]))
  return (
    <DataTable
      label="Items of the window"
      rows={rows}
      columns={columns}
      layout={styles.columns}
      keyOf={({ key }) => key}
      rowPx={27}
      selected={chosen?.key ?? null}
      onSelect={(row) => (row.kind === 'out' ? unfold(row.fold) : navigate({ selection: row.item.id }, 'push'))}
      isMain
      onOpen={(row) => row.kind === 'item' && navigate({ view: 'messages', selection: row.item.id }, 'push')}
      rowClass={(row) =>
        classNames(
          (row.kind === 'out' || !row.item.included) && styles.tableOut,
          row.kind === 'item' && row.item.kind === 'missing' && styles.missing,
        )
      }
      wide={(row) =>
        row.kind === 'out' ? (
          // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
          // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus
          <div role="gridcell" className={styles.foldCell}>
            <button type="button" className={styles.fold} onClick={() => unfold(row.fold)}>
              <Icon name="chevronRight" />
              {plural(row.items.length, 'item')} left out here, {formatTokens(row.tokens)}: the model does not see them
            </button>
          </div>
        ) : null
      }
    />
  )
}

const NONE: ReadonlySet<string> = new Set()

/** Folded rows have no columns. */
const itemOf = (row: ItemRow): ContextItem => (row.kind === 'item' ? row.item : (row.items[0] as ContextItem))

const columnsOf = (windowTokens: number): readonly Column<ItemRow>[] => [
  {
    id: '#',
    title: '#',
    className: 'dim',
    cell: (row) => (itemOf(row).included ? itemOf(row).ordinal : '–'),
  },
  ...itemColumns<ItemRow>(itemOf),
  {
    id: 'share',
    title: 'share',
    className: styles.share,
    cell: (row) => {
      const { included, tokens } = itemOf(row)
      return included && windowTokens > 0 ? formatPercent(tokens / windowTokens) : ''
    },
  },
  {
    id: 'why',
    title: 'why',
    className: styles.why,
    cell: (row) => <TextWithNames text={itemOf(row).reason} />,
    cellTitle: (row) => itemOf(row).reason,
  },
]

type Item = Pick<ContextItem, 'id' | 'kind' | 'role' | 'depth' | 'excerpt' | 'tokens' | 'pruned'>

/** The columns of an item: its kind, what it says, its number if it is a message, and its tokens. */
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
    title: 'message',
    cell: (row) => <span className="dim">{itemOf(row).kind === 'message' && <MessageName id={itemOf(row).id} />}</span>,
    cellTitle: (row) => itemOf(row).id,
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
    <span className={classNames(styles.itemText, item.pruned && styles.pruned)}>
      {item.pruned && <Chip title="The agent took the text out of its window: the model does not see it">pruned</Chip>}
      <bdi className="cut">
        <MarkedText text={name ?? item.excerpt} />
      </bdi>
    </span>
  )
}

const wholeText = (tokens: number, pruned: Pruned): string =>
  `${formatCount(tokens + pruned.tokens)} tokens as it is stored; ${formatCount(pruned.tokens)} of them were pruned`
