import { ReactFlowProvider } from '@xyflow/react'
import { useMemo, useRef } from 'react'
import { navigate } from '../../routes.ts'
import { useLineageStep } from '../../ui/use-lineage-step.ts'
import { useSize } from '../../ui/use-size.ts'
import { columnsIn } from './block.ts'
import { countsText } from './card-text.ts'
import { GraphActions } from './graph-actions.ts'
import { onGraphKey } from './graph-keys.ts'
import { layoutGraph, levelsIn } from './graph-layout.ts'
import { besideInLevel } from './level-neighbours.ts'
import { type CanvasHandle, LineageCanvas } from './lineage-canvas.tsx'
import styles from './lineage-graph.module.css'
import { LineageHeader } from './lineage-header.tsx'
import { LineageNothing } from './lineage-nothing.tsx'
import { useAnchor } from './use-anchor.ts'
import { useDefaultFocus, useNeighbourhood } from './use-neighbourhood.ts'

type Props = {
  readonly conversationId: number
  /** The selection; null shows the newest of the deepest summaries in the window. */
  readonly focusId: string | null
}

/** Where the node in hand comes from and what depends on it: a few boxes at a time, opened in place. */
export function LineageGraph({ conversationId, focusId }: Props) {
  const area = useRef<HTMLDivElement>(null)
  const canvas = useRef<CanvasHandle>(null)
  const size = useSize(area)
  const { anchor, follow, pick, expand, centre } = useAnchor(focusId)
  const fallback = useDefaultFocus(conversationId, anchor.id === null)
  const columns = columnsIn(size?.width ?? 800)
  const { neighbourhood, error, refetch } = useNeighbourhood({
    id: anchor.id ?? fallback ?? null,
    selection: focusId,
    expanded: anchor.expanded,
    maxPerNode: columns,
    up: levelsIn(size?.height ?? 0) - 2,
  })
  const cards = useMemo(() => new Map(neighbourhood?.nodes.map((card) => [card.id, card])), [neighbourhood])
  const layout = useMemo(() => neighbourhood && layoutGraph(neighbourhood, columns), [neighbourhood, columns])
  follow(focusId, (id) => cards.has(id))

  const inHand = (focusId !== null && cards.get(focusId)) || (neighbourhood && cards.get(neighbourhood.focus)) || null
  const lineageStep = useLineageStep()
  const goTo = (id: string | null) => id !== null && pick(id, 'replace')
  const moves = {
    along: async (direction: 'sources' | 'dependents') => inHand && goTo(await lineageStep(inHand.id, direction)),
    beside: (step: -1 | 1) => inHand && layout && goTo(besideInLevel(layout, inHand.id, step)),
    expand: () => inHand && expand(inHand.id),
    open: () => inHand && navigate({ view: 'transcript', selection: inHand.id }, 'push'),
  }
  const actions = {
    expand,
    centre,
    openInTranscript: (id: string) => navigate({ view: 'transcript', selection: id }, 'push'),
  }

  return (
    <section className={styles.lineage} aria-label="Lineage" onKeyDown={(event) => onGraphKey(event, moves)}>
      <LineageHeader
        card={inHand}
        neighbourhood={neighbourhood}
        onStep={moves.along}
        onExpand={moves.expand}
        onFit={() => canvas.current?.fit()}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no set of fields */}
      <div
        ref={area}
        className={styles.area}
        role="group"
        aria-label={inHand ? `Lineage of ${inHand.id}: ${countsText(inHand)}` : 'Lineage'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the graph takes keys
        tabIndex={0}
      >
        {neighbourhood && layout && size ? (
          <GraphActions value={actions}>
            <ReactFlowProvider>
              <LineageCanvas
                handle={canvas}
                layout={layout}
                focusId={neighbourhood.focus}
                selection={focusId}
                expanded={anchor.expanded}
                size={size}
                onPick={(id) => pick(id, 'push')}
                onCentre={centre}
              />
            </ReactFlowProvider>
          </GraphActions>
        ) : (
          <LineageNothing
            error={error}
            onRetry={() => void refetch()}
            isEmpty={anchor.id === null && fallback === null}
          />
        )}
      </div>
    </section>
  )
}
