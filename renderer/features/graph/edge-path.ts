import type { LineageEdge, NodeCard } from '../../../core/contract/lineage.ts'
import type { Box, PlacedCard, PlacedFrame } from './placed-items.ts'

export type PlacedEdge = {
  readonly id: string
  readonly state: LineageEdge['state']
  /** The summary that it starts from: it gives the colour. */
  readonly from: NodeCard
  readonly to: string
  /** SVG path data. */
  readonly path: string
  readonly label: { readonly x: number; readonly y: number }
}

/** Paths of all edges. Edges into a frame are drawn once, to the frame, unless something is wrong with them. */
export function placeEdges(
  edges: readonly LineageEdge[],
  cards: ReadonlyMap<string, PlacedCard>,
  frames: ReadonlyMap<string, PlacedFrame>,
): readonly PlacedEdge[] {
  const toFrames = [...frames.values()].flatMap((frame) => {
    const from = cards.get(frame.of.id)
    return from
      ? [{ ...straightDown(from, frame), id: `${from.card.id}→…`, state: 'sound' as const, from: from.card, to: '' }]
      : []
  })
  const single = edges.flatMap((edge): readonly PlacedEdge[] => {
    const from = cards.get(edge.from)
    const to = cards.get(edge.to)
    if (from === undefined || to === undefined) return []
    const frame = frames.get(edge.from)
    if (frame !== undefined && edge.state === 'sound' && isInside(to, frame)) return []
    const shape = shapeOf(from, to)
    return [
      { id: `${edge.from}→${edge.to}·${edge.ordinal}`, state: edge.state, from: from.card, to: edge.to, ...shape },
    ]
  })
  return [...toFrames, ...single]
}

const isInside = (box: Box, frame: Box): boolean =>
  box.x >= frame.x && box.x + box.w <= frame.x + frame.w && box.y >= frame.y && box.y + box.h <= frame.y + frame.h

function shapeOf(from: PlacedCard, to: PlacedCard): Pick<PlacedEdge, 'path' | 'label'> {
  if (from.card.id === to.card.id) return loop(from)
  return to.y > from.y + from.h ? straightDown(from, to) : aroundTheSide(from, to)
}

/** Draws a line from the middle of the lower edge to the middle of the upper one. */
function straightDown(from: Box, to: Box): Pick<PlacedEdge, 'path' | 'label'> {
  const x0 = from.x + from.w / 2
  const y0 = from.y + from.h
  const x1 = to.x + to.w / 2
  const y1 = to.y
  const bend = Math.min((y1 - y0) * 0.6, 40)
  return {
    path: `M${x0},${y0} C${x0},${y0 + bend} ${x1},${y1 - bend} ${x1},${y1}`,
    label: { x: (x0 + x1) / 2, y: (y0 + y1) / 2 },
  }
}

/** Draws an edge that leads up or sideways, as one that closes a cycle does: it leaves and enters at the right. */
function aroundTheSide(from: Box, to: Box): Pick<PlacedEdge, 'path' | 'label'> {
  const x0 = from.x + from.w
  const x1 = to.x + to.w
  const y0 = from.y + from.h / 2
  const y1 = to.y + to.h / 2
  const out = Math.max(x0, x1) + 36
  return { path: `M${x0},${y0} C${out},${y0} ${out},${y1} ${x1},${y1}`, label: { x: out - 6, y: (y0 + y1) / 2 } }
}

/** Draws an edge from a node to itself, which leaves and enters below. */
function loop({ x, y, w, h }: Box): Pick<PlacedEdge, 'path' | 'label'> {
  const [x0, x1, bottom] = [x + w * 0.3, x + w * 0.7, y + h]
  return {
    path: `M${x0},${bottom} C${x0},${bottom + 32} ${x1},${bottom + 32} ${x1},${bottom}`,
    label: { x: (x0 + x1) / 2, y: bottom + 24 },
  }
}
