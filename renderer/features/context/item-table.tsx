import { useMemo } from 'react'
import type { AssembledContext, ContextItem } from '../../../core/contract/context.ts'
import { navigate } from '../../routes.ts'
import { classNames } from '../../ui/class-names.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatPercent } from '../../ui/format.ts'
import styles from './context-view.module.css'
import { itemColumns } from './item-columns.tsx'

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
