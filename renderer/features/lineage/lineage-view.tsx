import type { ReactNode } from 'react'
import { useRoutePart } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Splitter } from '#renderer/ui/controls/splitter.tsx'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { useMessageRange, useRangeEnds } from '#renderer/ui/data/message-range.ts'
import { useStored } from '#renderer/ui/data/use-stored.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import type { LineageNode, LineageRow } from './lineage-rows.ts'
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

/** All summaries as trees, or the sources and dependents of one, and the passages on which its sentences rest. */
export function LineageView({ conversationId, renderText }: Props) {
  const selection = useRoutePart('selection')
  const [treeWidth, setTreeWidth] = useStored<number>('lineage-tree-width', 292)
  const middle = useMiddle(selection)
  const { rows, levels, error, retry } = useLineage(conversationId, middle.id)
  middle.follow(selection, (id) => rows.some((row) => row.kind === 'node' && row.node.id === id))
  const inHand = selection ?? middle.id ?? topOf(rows)
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
    Home: () => pick(rows[0], 'replace'),
    End: () => pick(rows.at(-1), 'replace'),
  })

  if (rows.length === 0 && middle.id === null && levels.levelOf(null)?.isLoading === false)
    return (
      <EmptyState title="Nothing was summarised yet">
        The lineage begins with the first compaction of this conversation. Until then every message stands for itself.
      </EmptyState>
    )
  return (
    <section className={styles.view} aria-label="Lineage">
      <div className={styles.tree} style={{ width: treeWidth }}>
        {middle.id !== null && (
          <Button look="quiet" onClick={() => middle.centre(null)}>
            Show all summaries
          </Button>
        )}
        {rows.length > 0 ? (
          <LineageTreeList
            rows={rows}
            isOfAll={middle.id === null}
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

/** Returns the node of the first line, or null. */
function topOf([first]: readonly LineageRow[]): string | null {
  return first?.kind === 'node' ? first.node.id : null
}
