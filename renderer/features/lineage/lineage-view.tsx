import { skipToken, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { api } from '#renderer/api.ts'
import { useRoutePart } from '#renderer/routes.ts'
import { defaultFocus } from '#renderer/ui/default-focus.ts'
import { EmptyState } from '#renderer/ui/empty-state.tsx'
import { ErrorState } from '#renderer/ui/error-state.tsx'
import { Loading } from '#renderer/ui/loading.tsx'
import { useMessageRange, useRangeEnds } from '#renderer/ui/message-range.ts'
import { Splitter } from '#renderer/ui/splitter.tsx'
import { useKeys } from '#renderer/ui/use-keys.ts'
import { useStored } from '#renderer/ui/use-stored.ts'
import type { LineageNode } from './lineage-rows.ts'
import { LineageTreeList } from './lineage-tree.tsx'
import styles from './lineage-view.module.css'
import { NodePane, type SummaryText } from './node-pane.tsx'
import { useLineage } from './use-lineage.ts'
import { useMiddle } from './use-middle.ts'
import { useMoves } from './use-moves.ts'

const NARROWEST_TREE = 240
const WIDEST_TREE = 520

type Props = {
  readonly conversationId: number
  /** Shows the text of a summary with the passages on which it rests. */
  readonly renderText: (text: SummaryText) => ReactNode
}

/** The sources and dependents of the selection, and the passages on which its sentences rest. */
export function LineageView({ conversationId, renderText }: Props) {
  const selection = useRoutePart('selection')
  const [treeWidth, setTreeWidth] = useStored<number>('lineage-tree-width', 292)
  const middle = useMiddle(selection)
  const first = useFirst(conversationId, middle.id === null)
  const middleId = middle.id ?? first ?? null
  const { rows, levels, error, retry } = useLineage(conversationId, middleId)
  middle.follow(selection, (id) => rows.some((row) => row.kind === 'node' && row.node.id === id))
  const inHand = selection ?? middleId
  const isOutside = useOutsideOfRange(conversationId)
  const { current, pick, by, open, toggle, along } = useMoves({ rows, levels, middle, inHand })
  useKeys({
    j: () => by(1),
    ArrowDown: () => by(1),
    k: () => by(-1),
    ArrowUp: () => by(-1),
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
            isOutside={isOutside}
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

/** Returns whether a node stands for none of the marked messages. Without marked messages none does. */
function useOutsideOfRange(conversationId: number): (node: LineageNode) => boolean {
  const [range] = useMessageRange()
  const ends = useRangeEnds(conversationId, range)
  return ({ firstSeq, lastSeq }) =>
    ends !== null && firstSeq !== null && lastSeq !== null && (lastSeq < ends.first.seq || firstSeq > ends.last.seq)
}

/** Returns what to show while nothing is selected: undefined until it is known, null when there is no summary. */
function useFirst(conversationId: number, isNeeded: boolean): string | null | undefined {
  const { data } = useQuery(
    api.strata.get.queryOptions({ input: isNeeded ? { conversationId, axis: 'messages' } : skipToken }),
  )
  return useMemo(() => data && defaultFocus(data), [data])
}
