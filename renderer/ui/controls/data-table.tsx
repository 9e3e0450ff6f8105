import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { type ListRange, Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { classNames } from './class-names.ts'
import styles from './data-table.module.css'
import { useListKeys } from './use-list-keys.ts'

export type Column<R> = {
  /** Also what the rows are sorted by. */
  readonly id: string
  readonly title: ReactNode
  /** What the column means, on hover. */
  readonly hint?: string
  /** False for a column that a sorted table cannot be sorted by. */
  readonly isSortable?: boolean
  readonly className?: string | undefined
  readonly cell: (row: R, index: number) => ReactNode
  /** The whole text of a cell that may be cut. */
  readonly cellTitle?: (row: R) => string | undefined
}

type Key = string | number

type Props<R> = {
  /** The name of the table. */
  readonly label: string
  /** Its id, for a view whose keys move in it. */
  readonly id?: string
  readonly rows: readonly R[]
  /** The number of all rows, where the given ones are only the first. */
  readonly total?: number | undefined
  readonly columns: readonly Column<R>[]
  /** The class with the widths of the columns. */
  readonly layout: string | undefined
  readonly keyOf: (row: R) => Key
  readonly rowPx: number
  /** Rows can be selected where this is given. */
  readonly onSelect?: (row: R) => void
  readonly selected?: Key | null
  /** Enter and a double click. */
  readonly onOpen?: (row: R) => void
  /** The keys of lists (`j`, `k`, `gg`, `G`, Home, End, Enter) move in it, whatever has the focus in its view. */
  readonly isMain?: boolean
  readonly rowClass?: (row: R) => string | undefined
  /** The content of a row that has no columns; null for all others. */
  readonly wide?: (row: R) => ReactNode
  /** What is unfolded below a row; null for all others. */
  readonly below?: (row: R) => ReactNode
  readonly sort?: { readonly by: string; readonly isDescending: boolean; readonly onSort: (id: string) => void }
  /** Without heads the columns explain themselves. */
  readonly hasHeads?: boolean
  /** Fills its place unless it has a height of its own. */
  readonly heightPx?: number
  /** The element that scrolls, where the table is a part of what it holds. It is as high as its rows then. */
  readonly scroller?: HTMLElement | null
  readonly isBusy?: boolean | undefined
  /** The last row came into sight. */
  readonly onEnd?: () => void
  readonly onRange?: (range: ListRange) => void
  readonly className?: string | undefined
}

/**
 * A table of any length, of which only the rows in sight exist. Where rows can be selected, the arrow keys, Home, End
 * and Enter work while it has the focus, and a screen reader hears the selected row.
 */
export function DataTable<R>(props: Props<R>) {
  const { label, rows, columns, layout, keyOf, rowPx, onSelect, selected = null, onOpen, hasHeads = true } = props
  const list = useRef<VirtuosoHandle>(null)
  const ownId = useId()
  const id = props.id ?? ownId
  const at = selected === null ? -1 : rows.findIndex((row) => keyOf(row) === selected)
  useEffect(() => {
    if (at >= 0) list.current?.scrollIntoView({ index: at })
  }, [at])
  const isGrid = onSelect !== undefined
  const firstRow = hasHeads ? 2 : 1
  const go = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))]
    if (row !== undefined) onSelect?.(row)
  }
  useListKeys(
    props.isMain
      ? {
          move: (steps) => go(at < 0 ? 0 : at + steps),
          start: () => go(0),
          end: () => go(rows.length - 1),
          open: () => {
            const row = rows[at]
            if (row !== undefined) onOpen?.(row)
          },
        }
      : null,
  )

  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOf(event.key, at, rows.length)
    const row = rows[target ?? at]
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    if (target !== null) onSelect?.(row)
    else if (event.key === 'Enter' && hasTableFocus(event) && onOpen) onOpen(row)
    else return
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a grid names its active row, and a plain table has none
    <div
      className={classNames(styles.table, props.scroller !== undefined && styles.scrolled, props.className)}
      id={id}
      role={isGrid ? 'grid' : 'table'}
      aria-label={label}
      aria-rowcount={(props.total ?? rows.length) + firstRow - 1}
      aria-busy={props.isBusy}
      {...(isGrid && {
        tabIndex: 0,
        onKeyDown,
        'aria-activedescendant': at < 0 ? undefined : rowId(id, selected),
      })}
    >
      {hasHeads && <Heads columns={columns} layout={layout} sort={props.sort} />}
      {/* What scrolls may be drawn after the table. */}
      {props.scroller !== null && (
        <Virtuoso
          ref={list}
          className={styles.rows}
          {...(props.scroller && { customScrollParent: props.scroller })}
          {...(props.onEnd && { endReached: props.onEnd })}
          {...(props.onRange && { rangeChanged: props.onRange })}
          {...(props.heightPx !== undefined && { style: { flex: 'none', height: props.heightPx } })}
          {...(!props.below && { fixedItemHeight: rowPx })}
          role="rowgroup"
          tabIndex={0}
          data={rows}
          increaseViewportBy={200}
          computeItemKey={(_, row) => keyOf(row)}
          itemContent={(index, row) => (
            <Row
              {...props}
              id={rowId(id, keyOf(row))}
              row={row}
              index={index}
              ariaIndex={index + firstRow}
              isSelected={index === at}
            />
          )}
        />
      )}
    </div>
  )
}

type RowProps<R> = Props<R> & {
  readonly row: R
  readonly index: number
  readonly ariaIndex: number
  readonly isSelected: boolean
}

function Row<R>(props: RowProps<R>) {
  const { id, row, index, isSelected, columns, layout, rowPx, onSelect, onOpen } = props
  const wide = props.wide?.(row) ?? null
  const below = props.below?.(row) ?? null
  const cellRole = onSelect ? 'gridcell' : 'cell'
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the table has the focus and names its active row */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the table */}
      <div
        id={id}
        role="row"
        aria-rowindex={props.ariaIndex}
        {...(onSelect && wide === null && { 'aria-selected': isSelected })}
        className={classNames(
          styles.row,
          wide === null && layout,
          isSelected && styles.selected,
          props.rowClass?.(row),
        )}
        style={{ height: rowPx }}
        onClick={wide === null ? () => onSelect?.(row) : undefined}
        onDoubleClick={wide === null ? () => onOpen?.(row) : undefined}
      >
        {wide ??
          columns.map(({ id: column, className, cell, cellTitle }) => (
            <div key={column} role={cellRole} className={classNames(styles.cell, className)} title={cellTitle?.(row)}>
              {cell(row, index)}
            </div>
          ))}
      </div>
      {below !== null && (
        // biome-ignore lint/a11y/useSemanticElements: see the row
        // biome-ignore lint/a11y/useFocusableInteractive: see the row
        <div role="row" className={styles.below}>
          <div role={cellRole}>{below}</div>
        </div>
      )}
    </>
  )
}

/** Whether the table itself has the focus, or the part of it that scrolls, and no button in it. */
const hasTableFocus = ({ target, currentTarget }: KeyboardEvent): boolean =>
  target === currentTarget || (target instanceof Element && target.getAttribute('role') === 'rowgroup')

const rowId = (table: string, key: Key | null): string => `${table}-${key}`

/** Returns the row to which a key leads, or null. */
function targetOf(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, count - 1)
    case 'ArrowUp':
      return Math.max(at - 1, 0)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

type HeadsProps<R> = Pick<Props<R>, 'columns' | 'layout' | 'sort'>

function Heads<R>({ columns, layout, sort }: HeadsProps<R>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the rows
    // biome-ignore lint/a11y/useFocusableInteractive: its buttons take the focus, where it has any
    <div role="row" aria-rowindex={1} className={classNames(styles.row, styles.heads, layout)}>
      {columns.map(({ id, title, hint, className, isSortable = true }) => (
        // biome-ignore lint/a11y/useSemanticElements: see the rows
        // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus, where it has one
        <div
          key={id}
          role="columnheader"
          className={classNames(styles.cell, className)}
          title={sort && isSortable ? undefined : hint}
          {...(sort &&
            isSortable && { 'aria-sort': sort.by !== id ? 'none' : sort.isDescending ? 'descending' : 'ascending' })}
        >
          {sort && isSortable ? (
            <button type="button" title={hint && `${hint}: sort by it`} onClick={() => sort.onSort(id)}>
              {title}
              {sort.by === id && <span aria-hidden="true">{sort.isDescending ? ' ↓' : ' ↑'}</span>}
            </button>
          ) : (
            title
          )}
        </div>
      ))}
    </div>
  )
}
