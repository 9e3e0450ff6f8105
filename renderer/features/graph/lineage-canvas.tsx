import { Background, type NodeProps, ReactFlow, useReactFlow, ViewportPortal } from '@xyflow/react'
import {
  createContext,
  type MouseEvent,
  type RefObject,
  use,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
} from 'react'
import type { Size } from '#renderer/ui/charts/use-size.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { nodeColor, nodeLabel } from '#renderer/ui/nodes/depth-color.ts'
import { MessageName } from '#renderer/ui/nodes/message-name.tsx'
import { NodeIdText } from '#renderer/ui/nodes/node-id-text.tsx'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { plural } from '#renderer/ui/texts/format.ts'
import { CardFace } from './card-face.tsx'
import { cardFacts, moreText } from './card-text.ts'
import type { PlacedEdge } from './edge-path.ts'
import { boxAround, fitGraph, type GraphViewport, revealBox } from './fit.ts'
import { type CardNode, type FlowNode, type FrameNode, type MoreNode, toFlow } from './flow.ts'
import type { GraphLayout } from './graph-layout.ts'
import styles from './lineage-graph.module.css'
import type { Box } from './placed-items.ts'

import '@xyflow/react/dist/base.css'

export type CanvasHandle = { readonly fit: () => void }

type Props = {
  readonly handle: RefObject<CanvasHandle | null>
  readonly layout: GraphLayout
  readonly focusId: string
  readonly selection: string | null
  readonly expanded: readonly string[]
  readonly size: Size
  readonly onPick: (id: string) => void
  readonly onCentre: (id: string) => void
}

const NODE_TYPES = { card: LineageCard, more: LineageMore, frame: LineageFrame }
const GLIDE_MS = 150

/**
 * Draws the layout on React Flow. The viewport is computed here and moves only when something would be out of sight.
 */
export function LineageCanvas({ handle, layout, focusId, selection, expanded, size, onPick, onCentre }: Props) {
  const flow = useReactFlow<FlowNode>()
  const nodes = useMemo(() => toFlow(layout, { focusId, selection, expanded }), [layout, focusId, selection, expanded])
  const boxes = useMemo(() => new Map<string, Box>(layout.cards.map((placed) => [placed.card.id, placed])), [layout])
  const fitted = fitGraph(layout.bounds, boxes.get(focusId) ?? layout.bounds, size)
  /** True when the user moved the view. After that a new size does not move it. */
  const isMoved = useRef(false)
  /**
   * The nodes that were expanded when they were last brought into sight, so that a growing file does not bring them
   * into sight repeatedly.
   */
  const revealed = useRef(expanded)

  const glideTo = (viewport: GraphViewport) =>
    void flow.setViewport(viewport, { duration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : GLIDE_MS })
  const fit = () => {
    isMoved.current = false
    glideTo(fitted)
  }
  const reveal = (ids: readonly string[]) => {
    const wanted = ids.flatMap((id) => boxes.get(id) ?? [])
    if (wanted.length > 0) glideTo(revealBox(flow.getViewport(), boxAround(wanted), size))
  }
  useImperativeHandle(handle, () => ({ fit }))

  // biome-ignore lint/correctness/useExhaustiveDependencies: another middle, or another size before it was moved by hand
  useEffect(() => {
    if (!isMoved.current) void flow.setViewport(fitted)
  }, [size.width, size.height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new middle is fitted once
  useEffect(fit, [focusId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has just been opened, once it is there
  useEffect(() => {
    const last = expanded.at(-1)
    if (last === undefined || revealed.current === expanded) return
    revealed.current = expanded
    if (!isMoved.current) return glideTo(fitted)
    reveal([last, ...layout.links.flatMap(({ from, to }) => (from === last ? to : []))])
  }, [layout])
  // biome-ignore lint/correctness/useExhaustiveDependencies: where the selection went
  useEffect(() => {
    if (selection !== null && selection !== focusId) reveal([selection])
  }, [selection])

  return (
    <ReactFlow<FlowNode>
      nodes={nodes}
      nodeTypes={NODE_TYPES}
      defaultViewport={fitted}
      minZoom={0.2}
      maxZoom={1.5}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      elementsSelectable={false}
      zoomOnDoubleClick={false}
      disableKeyboardA11y
      deleteKeyCode={null}
      // Space plays a replay. As a key of the graph it would never get there.
      panActivationKeyCode={null}
      proOptions={{ hideAttribution: true }}
      onNodeClick={(_, node) => node.type === 'card' && onPick(node.id)}
      onNodeDoubleClick={(_, node) => node.type === 'card' && onCentre(node.id)}
      onMoveStart={(event) => {
        if (event !== null) isMoved.current = true
      }}
    >
      <LineageEdges edges={layout.edges} />
      <Background gap={22} size={1} color="var(--line)" />
    </ReactFlow>
  )
}

/**
 * The number of further items. A click shows them in place; what is too much even then can be read in the transcript.
 */
function LineageMore({ data: { more, unit, isExpanded } }: NodeProps<MoreNode>) {
  const { expand, centre, openInTranscript } = use(GraphActions)
  const text = moreText(more.count, unit)
  const show = () => {
    if (unit === 'dependents') centre(more.id)
    else if (isExpanded) openInTranscript(more.id)
    else expand(more.id)
  }
  return (
    <button
      type="button"
      className={styles.more}
      title={isExpanded ? 'Too many to draw: open in the messages' : 'Show them here'}
      onClick={show}
    >
      {isExpanded ? `${text} ↗` : text}
    </button>
  )
}

/** The background of the sources of one node when they take several rows. */
function LineageFrame(_: NodeProps<FrameNode>) {
  return <div className={styles.frame} />
}

/**
 * The edges from each summary to its sources, in the colour of the summary. Their paths come from the layout, so React
 * Flow measures nothing for them. Edges with an error lie on top and are described in words.
 */
function LineageEdges({ edges }: { readonly edges: readonly PlacedEdge[] }) {
  return (
    <ViewportPortal>
      <svg className={styles.edges} width="1" height="1" aria-hidden="true">
        {edges.map(
          ({ id, state, path, from }) =>
            state === 'sound' && <path key={id} className={styles.edge} d={path} style={{ stroke: nodeColor(from) }} />,
        )}
      </svg>
      <svg className={styles.unsoundEdges} width="1" height="1" aria-hidden="true">
        {edges.map(
          ({ id, state, path, label }) =>
            state !== 'sound' && (
              <g key={id}>
                <path className={styles.unsound} d={path} />
                <text
                  className={styles.edgeLabel}
                  x={label.x}
                  y={label.y}
                  textAnchor="middle"
                  dominantBaseline="central"
                >
                  {state}
                </text>
              </g>
            ),
        )}
      </svg>
    </ViewportPortal>
  )
}

/** A node of the lineage: its name, its number or layer, what it covers, and a button for its sources while they are hidden. */
function LineageCard({ data: { card, isCentre, hiddenSources, hiddenDependents }, selected }: NodeProps<CardNode>) {
  const { expand, centre } = use(GraphActions)
  const name = useName(card.id)
  return (
    <CardFace
      id={card.id}
      look={card}
      isInWindow={card.visibility === 'in_window'}
      isSelected={selected === true}
      isCentre={isCentre}
      facts={
        <>
          {name !== null &&
            (card.kind === 'message' ? (
              <MessageName id={card.id} />
            ) : (
              <NodeIdText id={card.id} label={nodeLabel(card)} />
            ))}
          <span>{cardFacts(card)}</span>
        </>
      }
    >
      {hiddenSources > 0 && (
        <OpenButton
          className={styles.below}
          label={`Show ${plural(hiddenSources, card.kind === 'leaf' ? 'message' : 'source')} of ${card.id} (E)`}
          onOpen={() => expand(card.id)}
        />
      )}
      {hiddenDependents > 0 && (
        <OpenButton
          className={styles.above}
          label={`Show ${plural(hiddenDependents, 'dependent')} of ${card.id}`}
          onOpen={() => centre(card.id)}
        />
      )}
    </CardFace>
  )
}

type OpenProps = { readonly className: string | undefined; readonly label: string; readonly onOpen: () => void }

/** A small button on the edge of a card. The keys of the graph do the same. */
function OpenButton({ className, label, onOpen }: OpenProps) {
  const open = (event: MouseEvent) => {
    // Without this the click would also select the card.
    event.stopPropagation()
    onOpen()
  }
  return (
    <button
      type="button"
      tabIndex={-1}
      className={classNames(styles.open, className)}
      title={label}
      aria-label={label}
      onClick={open}
    >
      <Icon name="chevronDown" />
    </button>
  )
}

/** Actions that the boxes of the graph can request. */
export const GraphActions = createContext<{
  /** Shows everything around a node in place, or hides it again. */
  readonly expand: (id: string) => void
  /** Draws the graph around a node. */
  readonly centre: (id: string) => void
  readonly openInTranscript: (id: string) => void
}>({ expand: () => undefined, centre: () => undefined, openInTranscript: () => undefined })
