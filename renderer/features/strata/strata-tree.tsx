import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { navigate } from '../../routes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import tree from '../../ui/tree.module.css'
import { StrataTreeRow } from './strata-tree-row.tsx'
import { canOpen, pathAbove, type TreeRow } from './tree-rows.ts'
import { useTree } from './use-tree.ts'

type Props = { readonly conversationId: number; readonly selection: string | null }

const ROW_PX = 26

/**
 * The content of the strata and the graph as a tree for keyboard and screen reader. Sources are below their dependents.
 */
export function StrataTree({ conversationId, selection }: Props) {
  const id = useId()
  const list = useRef<VirtuosoHandle>(null)
  const { rows, error, refetch, toggle, fetchMore } = useTree(conversationId)
  const [currentPath, setCurrentPath] = useState<string | null>(null)
  const selectedAt = rows.findIndex((row) => row.kind === 'node' && row.card.id === selection)
  const found = rows.findIndex(({ path }) => path === currentPath)
  const at = found >= 0 ? found : Math.max(selectedAt, 0)
  const current = rows[at]

  if (error !== null && rows.every(({ kind }) => kind === 'loading'))
    return <ErrorState error={error} onRetry={refetch} />
  if (rows.length === 0)
    return (
      <EmptyState title="No summaries yet">The tree begins with the first compaction of this conversation.</EmptyState>
    )

  const goTo = (index: number) => {
    const row = rows[index]
    if (row === undefined) return
    setCurrentPath(row.path)
    if (row.kind === 'node') navigate({ selection: row.card.id }, 'replace')
    list.current?.scrollIntoView({ index })
  }
  const activate = (row: TreeRow) => {
    if (row.kind === 'more') fetchMore(row.of)
    if (row.kind === 'node') navigate({ view: 'transcript', selection: row.card.id }, 'push')
  }
  const openOrEnter = (row: TreeRow) => {
    if (row.kind !== 'node' || !canOpen(row.card)) return
    if (row.isOpen) goTo(at + 1)
    else toggle(row.path, true)
  }
  const closeOrLeave = (row: TreeRow) => {
    if (row.kind === 'node' && row.isOpen) toggle(row.path, false)
    else goTo(rows.findIndex(({ path }) => path === pathAbove(row.path)))
  }
  const keys: Readonly<Record<string, (row: TreeRow) => void>> = {
    ArrowDown: () => goTo(at + 1),
    j: () => goTo(at + 1),
    ArrowUp: () => goTo(at - 1),
    k: () => goTo(at - 1),
    Home: () => goTo(0),
    End: () => goTo(rows.length - 1),
    ArrowRight: openOrEnter,
    ArrowLeft: closeOrLeave,
    Enter: activate,
    ' ': (row) => (row.kind === 'more' ? activate(row) : goTo(at)),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const handler = keys[event.key]
    if (handler === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    if (current) handler(current)
  }

  return (
    <Virtuoso
      ref={list}
      className={tree.tree}
      role="tree"
      aria-label="Summaries and what they stand for"
      aria-activedescendant={current && `${id}${at}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      fixedItemHeight={ROW_PX}
      totalCount={rows.length}
      computeItemKey={(index) => rows[index]?.path ?? index}
      itemContent={(index) => {
        const row = rows[index]
        return (
          row && (
            <StrataTreeRow
              id={`${id}${index}`}
              row={row}
              isSelected={row.kind === 'node' && row.card.id === selection}
              isCurrent={index === at}
              onPick={() => (row.kind === 'more' ? activate(row) : goTo(index))}
              onToggle={(isOpen) => toggle(row.path, isOpen)}
            />
          )
        )
      }}
    />
  )
}
