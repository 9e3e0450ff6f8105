import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import styles from './tree.module.css'

/** A row of the open part of a tree, from top to bottom. */
export type TreeLine = {
  /** The names from the top down to the row, which identify it. */
  readonly path: string
  /** The level from 1, as screen readers count. */
  readonly level: number
  /** Undefined for a row that has nothing below it. */
  readonly isOpen?: boolean | undefined
  /** The place among its siblings from 1, where it is known. */
  readonly position?: number
  readonly setSize?: number
}

type Props<R extends { readonly path: string }> = {
  readonly label: string
  readonly rows: readonly R[]
  /** How a row stands in the tree. */
  readonly lineOf: (row: R) => TreeLine
  /** The row that the keys are on. */
  readonly currentPath: string | null
  readonly isSelected: (row: R) => boolean
  readonly children: (row: R) => ReactNode
  readonly titleOf?: (row: R) => string | undefined
  readonly rowClass?: (row: R) => string | undefined
  readonly indentOf: (level: number) => number
  readonly onPick: (row: R) => void
  readonly onToggle: (row: R, isOpen: boolean) => void
  readonly onOpen?: (row: R) => void
  /** Handles a key while the tree has the focus; a view that binds its own keys leaves it out. */
  readonly onKey?: (key: string) => boolean
}

const ROW_PX = 26
/** Above the first row in sight there is room for a few others. */
const ROWS_ABOVE = 8

/** A tree of any length, of which only the rows in sight exist. It has the focus and names its current row. */
export function Tree<R extends { readonly path: string }>(props: Props<R>) {
  const { label, rows, lineOf, currentPath, isSelected, titleOf, rowClass, indentOf, onPick, onToggle, onOpen } = props
  const id = useId()
  const list = useRef<VirtuosoHandle>(null)
  const at = rows.findIndex(({ path }) => path === currentPath)
  useEffect(() => {
    if (at >= 0) list.current?.scrollIntoView({ index: at })
  }, [at])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (props.onKey?.(event.key)) event.preventDefault()
  }
  return (
    <Virtuoso
      ref={list}
      className={styles.tree}
      role="tree"
      aria-label={label}
      aria-activedescendant={at >= 0 ? `${id}${at}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      fixedItemHeight={ROW_PX}
      totalCount={rows.length}
      initialTopMostItemIndex={at > ROWS_ABOVE ? { index: at, align: 'center' } : 0}
      computeItemKey={(index) => rows[index]?.path ?? index}
      itemContent={(index) => {
        const row = rows[index]
        if (row === undefined) return null
        const { level, isOpen, position, setSize } = lineOf(row)
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the tree
          // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
          <div
            id={`${id}${index}`}
            className={classNames(
              styles.row,
              isSelected(row) && styles.selected,
              index === at && styles.current,
              rowClass?.(row),
            )}
            style={{ paddingLeft: indentOf(level) }}
            role="treeitem"
            aria-level={level}
            aria-selected={isSelected(row)}
            aria-expanded={isOpen}
            aria-posinset={position}
            aria-setsize={setSize}
            title={titleOf?.(row)}
            onClick={() => onPick(row)}
            onDoubleClick={() => onOpen?.(row)}
          >
            <Twist isOpen={isOpen} onToggle={(open) => onToggle(row, open)} />
            {props.children(row)}
          </div>
        )
      }}
    />
  )
}

type TwistProps = { readonly isOpen: boolean | undefined; readonly onToggle: (isOpen: boolean) => void }

/** The mark that opens and closes a row. The keys of the tree do the same. */
function Twist({ isOpen, onToggle }: TwistProps) {
  const toggle = (event: MouseEvent) => {
    event.stopPropagation()
    onToggle(!isOpen)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <span className={styles.twist} data-open={isOpen} onClick={isOpen === undefined ? undefined : toggle}>
      {isOpen !== undefined && <Icon name="chevronRight" />}
    </span>
  )
}
