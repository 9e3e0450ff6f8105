import { Background, Controls, ReactFlow, useReactFlow, useStore, ViewportPortal } from '@xyflow/react'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useRoutePart } from '#renderer/routes.ts'
import type { Size } from '#renderer/ui/charts/use-size.ts'
import { type GraphViewport, revealBox } from './fit.ts'
import cards from './lineage-graph.module.css'
import { NODE_TYPES, READABLE, useCards, type WholeNode } from './whole-cards.tsx'
import styles from './whole-graph.module.css'
import { boxesPath, boxOf, linksPath, nodeAt, type WholeLayout } from './whole-layout.ts'
import { BoxPaths, Minimap } from './whole-minimap.tsx'
import { type WholePaths, wholePaths } from './whole-paths.ts'
import { selectNode } from './whole-selection.ts'
import { firstViewport, wholeViewport, wholeZoom } from './whole-viewport.ts'

import '@xyflow/react/dist/base.css'

const FURTHEST = 0.2
const GLIDE_MS = 150

type CanvasProps = {
  readonly layout: WholeLayout
  readonly size: Size
  /** The nodes that a search found. */
  readonly found: readonly number[]
}

/**
 * Draws the graph on React Flow: the boxes and links of all nodes as a few paths, and over them a card for each node in
 * sight, once it can be read.
 */
export function WholeCanvas({ layout, size, found }: CanvasProps) {
  const flow = useReactFlow()
  const selection = useDeferredValue(useRoutePart('selection'))
  const selected = useMemo(() => layout.graph.nodes.id.indexOf(selection ?? ''), [layout, selection])
  const [first] = useState(() => firstViewport(layout, size, selected))
  const paths = useMemo(() => wholePaths(layout), [layout])
  const nodes = useCards(layout, size, selected)
  const isSettled = useRef(false)
  const isMoved = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size before it was moved by hand
  useEffect(() => {
    if (!isMoved.current) void flow.setViewport(firstViewport(layout, size, selected))
  }, [size.width, size.height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: where the selection went
  useEffect(() => {
    if (isSettled.current && selected >= 0) glide(flow, revealBox(flow.getViewport(), boxOf(layout, selected), size))
    isSettled.current = true
  }, [selected])
  return (
    <>
      <ReactFlow<WholeNode>
        nodes={nodes}
        nodeTypes={NODE_TYPES}
        defaultViewport={first}
        minZoom={Math.min(FURTHEST, wholeZoom(layout, size))}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable
        elementsSelectable={false}
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        panActivationKeyCode={null}
        proOptions={{ hideAttribution: true }}
        onMoveStart={(event) => {
          if (event !== null) isMoved.current = true
        }}
        onNodeClick={(_, { data }) => selectNode(layout, data.node)}
        onPaneClick={(event) => {
          const node = nodeAt(layout, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }))
          if (node !== null) selectNode(layout, node)
        }}
      >
        <Boxes {...{ layout, paths, selected, found }} />
        <Background gap={22} size={1} color="var(--line)" />
        <Controls
          showInteractive={false}
          position="bottom-left"
          fitViewOptions={FIT}
          onFitView={() => glide(flow, wholeViewport(layout, size, selected))}
        />
      </ReactFlow>
      <Minimap {...{ layout, paths, size, selected }} />
    </>
  )
}

const FIT = { duration: 0 } as const

const glide = (flow: ReturnType<typeof useReactFlow>, viewport: GraphViewport): void =>
  void flow.setViewport(viewport, {
    duration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : GLIDE_MS,
  })

type BoxesProps = Omit<CanvasProps, 'size'> & { readonly paths: WholePaths; readonly selected: number }

/** The boxes and links of all nodes, in a few paths that the browser moves as one picture. */
function Boxes({ layout, paths: { boxes, links, cycles }, selected, found }: BoxesProps) {
  const isFar = useStore(({ transform }) => transform[2] < READABLE)
  const own = [...(layout.sources[selected] ?? []), ...(layout.dependents[selected] ?? [])]
  return (
    <ViewportPortal>
      <svg className={cards.edges} width="1" height="1" aria-hidden="true">
        {links.map(({ color, path }) => (
          <path key={color} className={styles.link} d={path} style={{ stroke: color }} />
        ))}
        {isFar && <BoxPaths boxes={boxes} />}
        {cycles !== '' && <path className={cards.unsound} d={cycles} />}
        {own.length > 0 && <path className={styles.own} d={linksPath(layout, own)} />}
        {found.length > 0 && <path className={styles.found} d={boxesPath(layout, found)} />}
        {selected >= 0 && <path className={styles.selectedBox} d={boxesPath(layout, [selected])} />}
      </svg>
    </ViewportPortal>
  )
}
