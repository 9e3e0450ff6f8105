import { useEffect, useMemo, useRef } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { AssembledContext } from '../../../core/contract/context.ts'
import { navigate } from '../../routes.ts'
import { classNames } from '../../ui/class-names.ts'
import { useListKeys } from '../../ui/use-list-keys.ts'
import { ItemRow } from './item-row.tsx'
import styles from './item-table.module.css'
import table from './window-table.module.css'

type Props = {
  readonly window: AssembledContext
  readonly selection: string | null
}

const ROW_PX = 27

/** Every item of the window in the order in which the model sees it. Items that are left out are dimmed. */
export function ItemTable({ window, selection }: Props) {
  const list = useRef<VirtuosoHandle>(null)
  const { items, tokens } = window
  const selected = useMemo(
    () => (selection === null ? -1 : items.findIndex((item) => item.id === selection)),
    [items, selection],
  )
  useEffect(() => {
    if (selected >= 0) list.current?.scrollIntoView({ index: selected })
  }, [selected])

  const move = (index: number) => {
    const item = items[Math.min(items.length - 1, Math.max(0, index))]
    if (item !== undefined) navigate({ selection: item.id }, 'replace')
  }
  const open = () => {
    if (selected >= 0) navigate({ view: 'transcript' }, 'push')
  }
  useListKeys({
    move: (steps) => move(selected < 0 ? 0 : selected + steps),
    start: () => move(0),
    end: () => move(items.length - 1),
    open,
  })

  return (
    // biome-ignore lint/a11y/useSemanticElements: thousands of rows, of which only those in sight exist
    <div className={table.table} role="table" aria-label="Items of the context window" aria-rowcount={items.length + 1}>
      {/* biome-ignore lint/a11y/useSemanticElements: see the table */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: heads are not sorted, the order is the model's */}
      <div className={classNames(table.head, styles.columns)} role="row" aria-rowindex={1}>
        {COLUMNS.map(({ name, isNumber }) => (
          // biome-ignore lint/a11y/useSemanticElements: see the table
          // biome-ignore lint/a11y/useFocusableInteractive: see the row
          <span key={name} role="columnheader" className={isNumber ? table.number : undefined}>
            {name}
          </span>
        ))}
      </div>
      <Virtuoso
        ref={list}
        className={table.body}
        role="rowgroup"
        totalCount={items.length}
        fixedItemHeight={ROW_PX}
        increaseViewportBy={200}
        itemContent={(index) => {
          const item = items[index]
          if (item === undefined) return null
          return <ItemRow item={item} index={index} windowTokens={tokens} isSelected={item.id === selection} />
        }}
      />
    </div>
  )
}

const COLUMNS = [
  { name: '#', isNumber: false },
  { name: 'kind', isNumber: false },
  { name: 'content', isNumber: false },
  { name: 'id', isNumber: false },
  { name: 'tokens', isNumber: true },
  { name: 'share', isNumber: true },
  { name: 'why', isNumber: false },
] as const
