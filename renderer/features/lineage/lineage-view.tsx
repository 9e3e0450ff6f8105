import { skipToken, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { api } from '../../api.ts'
import { navigate, useRoute } from '../../routes.ts'
import { defaultFocus } from '../../ui/default-focus.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Splitter } from '../../ui/splitter.tsx'
import { useKeys } from '../../ui/use-keys.ts'
import { useLineageStep } from '../../ui/use-lineage-step.ts'
import { useStored } from '../../ui/use-stored.ts'
import type { LineageRow } from './lineage-rows.ts'
import { LineageTreeList } from './lineage-tree.tsx'
import styles from './lineage-view.module.css'
import { NodePane, type SummaryText } from './node-pane.tsx'
import { useLineage } from './use-lineage.ts'
import { useMiddle } from './use-middle.ts'

const NARROWEST_TREE = 200
const WIDEST_TREE = 520

type Props = {
  readonly conversationId: number
  /** Shows the text of a summary with what it rests on. */
  readonly renderText: (text: SummaryText) => ReactNode
}

/** Where the selection comes from, what depends on it, and what its sentences rest on. */
export function LineageView({ conversationId, renderText }: Props) {
  const { selection } = useRoute()
  const [treeWidth, setTreeWidth] = useStored<number>('lineage-tree-width', 292)
  const middle = useMiddle(selection)
  const first = useFirst(conversationId, middle.id === null)
  const middleId = middle.id ?? first ?? null
  const { rows, levels, error, retry } = useLineage(conversationId, middleId)
  middle.follow(selection, (id) => rows.some((row) => row.kind === 'node' && row.node.id === id))
  const step = useLineageStep()

  const [movedTo, setMovedTo] = useState<string | null>(null)
  const inHand = selection ?? middleId
  const moved = rows.find(({ path }) => path === movedTo)
  const isMovedTo = moved !== undefined && (moved.kind !== 'node' || moved.node.id === inHand)
  const current = isMovedTo ? moved : placeOf(rows, inHand)
  const at = current === undefined ? -1 : rows.indexOf(current)

  // Keys come quicker than answers: each step goes on from where the one before it led.
  const hand = useRef(inHand)
  useEffect(() => {
    hand.current = inHand
  }, [inHand])
  const steps = useRef<Promise<void>>(Promise.resolve())

  const select = (id: string, how: 'push' | 'replace') => {
    hand.current = id
    middle.keepFor(id)
    navigate({ selection: id }, how)
  }
  const pick = (row: LineageRow | undefined, how: 'push' | 'replace') => {
    if (row === undefined) return
    setMovedTo(row.path)
    if (row.kind === 'more' && how === 'push') levels.fetchMore(row.of)
    if (row.kind === 'node') select(row.node.id, how)
  }
  const open = (row: LineageRow | undefined) => {
    if (row?.kind === 'more') levels.fetchMore(row.of)
    if (row?.kind !== 'node') return
    if (row.node.kind === 'message') navigate({ view: 'transcript', selection: row.node.id }, 'push')
    else middle.centre(row.node.id)
  }
  const toggle = () => {
    if (current?.kind === 'node' && current.canOpen && current.place === 'below')
      levels.toggle(current.path, !current.isOpen)
  }
  const along = (direction: 'sources' | 'dependents') => {
    // A step that finds nothing, or fails, leaves everything where it is.
    steps.current = steps.current.then(() => go(direction)).catch(() => undefined)
  }
  const go = async (direction: 'sources' | 'dependents') => {
    if (hand.current === null) return
    const id = await step(hand.current, direction)
    if (id === null) return
    // In the tree the sources unfold where they are.
    if (direction === 'sources' && current?.kind === 'node' && current.canOpen && current.place !== 'above')
      levels.toggle(current.path, true)
    const below = rows.find(
      (row) => row.kind === 'node' && row.node.id === id && current !== undefined && row.path.startsWith(current.path),
    )
    setMovedTo(below?.path ?? null)
    select(id, 'push')
  }
  useKeys({
    j: () => pick(rows[at + 1], 'replace'),
    ArrowDown: () => pick(rows[at + 1], 'replace'),
    k: () => pick(rows[at - 1], 'replace'),
    ArrowUp: () => pick(rows[at - 1], 'replace'),
    ArrowLeft: () => along('sources'),
    ArrowRight: () => along('dependents'),
    Enter: () => open(current),
    ' ': toggle,
  })

  if (first === null && middleId === null)
    return (
      <EmptyState title="Nothing was summarised yet">
        The lineage begins with the first compaction of this conversation. Until then every message stands for itself.
      </EmptyState>
    )
  return (
    <section className={styles.view} aria-label="Lineage">
      <div className={styles.tree} style={{ width: treeWidth }}>
        {rows.length > 0 ? (
          <LineageTreeList
            rows={rows}
            currentPath={current?.path ?? null}
            onPick={(row) => pick(row, 'push')}
            onToggle={levels.toggle}
            onOpen={open}
          />
        ) : error !== null && error !== undefined ? (
          <ErrorState error={error} onRetry={retry} />
        ) : (
          <Loading what="the lineage" lines={7} />
        )}
      </div>
      <Splitter
        label="lineage tree"
        orientation="vertical"
        pane="before"
        size={treeWidth}
        min={NARROWEST_TREE}
        max={WIDEST_TREE}
        onResize={setTreeWidth}
      />
      <div className={styles.node}>
        {inHand === null ? (
          <Loading what="the lineage" lines={7} />
        ) : (
          <NodePane key={inHand} id={inHand} renderText={renderText} onStep={along} />
        )}
      </div>
    </section>
  )
}

/** The line of a node: the one in the middle rather than another place of it. */
function placeOf(rows: readonly LineageRow[], id: string | null): LineageRow | undefined {
  const places = rows.filter((row) => row.kind === 'node' && row.node.id === id)
  return places.find((row) => row.kind === 'node' && row.place === 'middle') ?? places[0]
}

/** What to show while nothing is selected; undefined until it is known, null where there is no summary. */
function useFirst(conversationId: number, isNeeded: boolean): string | null | undefined {
  const { data } = useQuery(
    api.strata.get.queryOptions({ input: isNeeded ? { conversationId, axis: 'messages' } : skipToken }),
  )
  return useMemo(() => data && defaultFocus(data), [data])
}
