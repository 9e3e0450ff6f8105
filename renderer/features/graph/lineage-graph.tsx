import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { ReactFlowProvider } from '@xyflow/react'
import { type KeyboardEvent, memo, useEffect, useMemo, useRef } from 'react'
import type { Neighbourhood, NodeCard } from '#core/contract/lineage.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { navigate } from '#renderer/routes.ts'
import { useSize } from '#renderer/ui/charts/use-size.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { saveFile } from '#renderer/ui/data/save-file.ts'
import { defaultFocus } from '#renderer/ui/nodes/default-focus.ts'
import { nodeLabel, nodeTextColor } from '#renderer/ui/nodes/depth-color.ts'
import { NodeIdText } from '#renderer/ui/nodes/node-id-text.tsx'
import { useLineageStep } from '#renderer/ui/nodes/use-lineage-step.ts'
import { useMessageText, useName } from '#renderer/ui/nodes/use-names.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { columnsIn } from './block.ts'
import { countsText } from './card-text.ts'
import { toDot, toJson, toMermaid } from './graph-export.ts'
import { besideInLevel, layoutGraph, levelsIn, sourcesWithRoom } from './graph-layout.ts'
import { type CanvasHandle, GraphActions, LineageCanvas } from './lineage-canvas.tsx'
import styles from './lineage-graph.module.css'
import { trimNeighbourhood } from './trim.ts'
import { useAnchor } from './use-anchor.ts'

type Props = {
  readonly conversationId: number
  /** The selection; null shows the newest of the deepest summaries in the window. */
  readonly focusId: string | null
}

/** The sources and dependents of the selected node: a few boxes at a time, expanded in place. */
export const LineageGraph = memo(function LineageGraph({ conversationId, focusId }: Props) {
  const area = useRef<HTMLDivElement>(null)
  const canvas = useRef<CanvasHandle>(null)
  const size = useSize(area)
  const { anchor, follow, pick, expand, grow, centre } = useAnchor(focusId)
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
  const width = size?.width ?? 800
  const layout = useMemo(() => neighbourhood && layoutGraph(neighbourhood, width), [neighbourhood, width])
  follow(focusId, (id) => cards.has(id))
  const growth = neighbourhood && size ? sourcesWithRoom(neighbourhood, columns, levelsIn(size.height)) : null
  useEffect(() => {
    if (growth !== null && neighbourhood !== undefined) grow(neighbourhood.focus, growth)
  })

  const inHand = (focusId !== null && cards.get(focusId)) || (neighbourhood && cards.get(neighbourhood.focus)) || null
  const lineageStep = useLineageStep()
  const goTo = (id: string | null) => id !== null && pick(id, 'replace')
  const moves = {
    along: async (direction: 'sources' | 'dependents') => inHand && goTo(await lineageStep(inHand.id, direction)),
    beside: (step: -1 | 1) => inHand && layout && goTo(besideInLevel(layout, inHand.id, step)),
    expand: () => inHand && expand(inHand.id),
    open: () => inHand && navigate({ view: 'messages', selection: inHand.id }, 'push'),
  }
  const actions = {
    expand,
    centre,
    openInTranscript: (id: string) => navigate({ view: 'messages', selection: id }, 'push'),
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
})

type GraphMoves = {
  readonly along: (direction: 'sources' | 'dependents') => void
  readonly beside: (step: -1 | 1) => void
  readonly expand: () => void
  readonly open: () => void
}

/** Handles keys while the graph has the focus. */
function onGraphKey(event: KeyboardEvent, moves: GraphMoves): void {
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => moves.along('sources'),
    ArrowRight: () => moves.along('dependents'),
    ArrowUp: () => moves.beside(-1),
    k: () => moves.beside(-1),
    ArrowDown: () => moves.beside(1),
    j: () => moves.beside(1),
    e: moves.expand,
    Enter: moves.open,
  }
  const move = keys[event.key]
  if (move === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target instanceof HTMLElement && belongsElsewhere(event.target, event.key)) return
  event.preventDefault()
  move()
}

/** Enter on a button presses it, and in a menu every key is the menu's. */
const belongsElsewhere = (target: HTMLElement, key: string): boolean =>
  (target instanceof HTMLButtonElement && key === 'Enter') || target.closest('[role=menu]') !== null

type LineageNothingProps = {
  readonly error: unknown
  readonly onRetry: () => void
  /** True when there is no summary and nothing has been selected. */
  readonly isEmpty: boolean
}

/** Shown instead of the graph while there is none. */
function LineageNothing({ error, onRetry, isEmpty }: LineageNothingProps) {
  if (isEmpty)
    return (
      <EmptyState title="No lineage yet">
        It begins with the first summary. Select a message to see where it stands.
      </EmptyState>
    )
  if (error === null) return <Loading what="the lineage" />
  if (toErrorInfo(error).code === 'not_found')
    return <EmptyState title="No lineage">What is selected is neither a message nor a summary of this file.</EmptyState>
  return <ErrorState error={error} onRetry={onRetry} />
}

const DOWN = 1

type Input = {
  readonly id: string | null
  readonly selection: string | null
  readonly expanded: readonly string[]
  readonly maxPerNode: number
  /** The number of levels of dependents. */
  readonly up: number
}

/** Fetches the nodes around a node, cut to what can be drawn. The previous ones stay until the next arrive. */
function useNeighbourhood({ id, selection, expanded, maxPerNode, up }: Input) {
  const input = id === null ? skipToken : { id, up, down: DOWN, maxPerNode, expanded: [...expanded] }
  const { data, error, refetch } = useQuery(
    api.lineage.neighbourhood.queryOptions({ input, placeholderData: keepPreviousData }),
  )
  const neighbourhood = useMemo(() => data && trimNeighbourhood(data, selection), [data, selection])
  return { neighbourhood, error, refetch }
}

/** Returns the node to show while none is selected: undefined until it is known, null when there is no summary. */
function useDefaultFocus(conversationId: number, isNeeded: boolean): string | null | undefined {
  const { data } = useQuery(
    api.strata.get.queryOptions({ input: isNeeded ? { conversationId, axis: 'messages' } : skipToken }),
  )
  return useMemo(() => data && defaultFocus(data), [data])
}

type LineageHeaderProps = {
  readonly card: NodeCard | null
  readonly neighbourhood: Neighbourhood | undefined
  readonly onStep: (direction: 'sources' | 'dependents') => void
  readonly onExpand: () => void
  readonly onFit: () => void
}

/** The selected node, its numbers, and the keys that lead on from it. */
function LineageHeader({ card, neighbourhood, onStep, onExpand, onFit }: LineageHeaderProps) {
  const name = useName(card?.id ?? null)
  const number = useMessageText(card?.id ?? '')
  const label = card?.kind === 'message' ? number : card ? nodeLabel(card) : ''
  return (
    <header className={styles.header}>
      <h2 className={styles.lineageHeaderTitle}>Lineage</h2>
      {card && (
        <>
          {name !== null && (
            <span className={styles.lineageHeaderName} style={{ color: nodeTextColor(card) }} title={name}>
              <bdi>
                <MarkedText text={name} />
              </bdi>
            </span>
          )}
          <span className={styles.label}>
            <NodeIdText id={card.id} label={label} />
          </span>
          <span className={styles.counts}>{countsText(card)}</span>
        </>
      )}
      <span className={styles.keys}>
        <button type="button" className={styles.key} onClick={() => onStep('sources')}>
          <Kbd>←</Kbd> sources
        </button>
        <button type="button" className={styles.key} onClick={() => onStep('dependents')}>
          <Kbd>→</Kbd> dependents
        </button>
        <button type="button" className={styles.key} onClick={onExpand}>
          <Kbd>E</Kbd> expand
        </button>
      </span>
      {neighbourhood && (
        <>
          <IconButton icon="fit" label="Show all of the graph" onClick={onFit} />
          <ExportMenu neighbourhood={neighbourhood} />
        </>
      )}
    </header>
  )
}

function ExportMenu({ neighbourhood }: { readonly neighbourhood: Neighbourhood }) {
  const save = (ending: string, type: string, text: string) =>
    // An id may contain characters that a file name must not have.
    saveFile(
      `lineage-${neighbourhood.focus.replace(/[^\w.-]+/g, '_').slice(0, 64)}.${ending}`,
      new Blob([text], { type }),
    )
  return (
    <Menu
      label="Save what is shown"
      items={[
        { label: 'Mermaid', onSelect: () => save('mmd', 'text/plain', toMermaid(neighbourhood)) },
        { label: 'Graphviz DOT', onSelect: () => save('dot', 'text/vnd.graphviz', toDot(neighbourhood)) },
        { label: 'JSON', onSelect: () => save('json', 'application/json', toJson(neighbourhood)) },
      ]}
    >
      <Icon name="download" />
    </Menu>
  )
}
