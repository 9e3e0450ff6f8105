import type { LineageEdge, NodeCard } from '#core/contract/lineage.ts'
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
  const boxes = [...cards.values(), ...frames.values()]
  const outside = Math.max(...boxes.map(({ x, w }) => x + w)) + OUTSIDE
  const single = edges.flatMap((edge): readonly PlacedEdge[] => {
    const from = cards.get(edge.from)
    const to = cards.get(edge.to)
    if (from === undefined || to === undefined) return []
    const frame = frames.get(edge.from)
    if (frame !== undefined && edge.state === 'sound' && isInside(to, frame)) return []
    const shape = shapeOf(from, to, edge.state, { outside, cards: [...cards.values()] })
    return [
      { id: `${edge.from}→${edge.to}·${edge.ordinal}`, state: edge.state, from: from.card, to: edge.to, ...shape },
    ]
  })
  return [...toFrames, ...single]
}

const isInside = (box: Box, frame: Box): boolean =>
  box.x >= frame.x && box.x + box.w <= frame.x + frame.w && box.y >= frame.y && box.y + box.h <= frame.y + frame.h

/** How far from all cards an edge runs that does not lead from a level to the next. */
const OUTSIDE = 30
/** How far such an edge stays from the cards where it leaves and enters, best first: rows of one frame are close. */
const CLEARANCES = [14, 10, 4]

type Around = {
  /** The x to the right of everything. */
  readonly outside: number
  readonly cards: readonly Box[]
}

function shapeOf(
  from: PlacedCard,
  to: PlacedCard,
  state: LineageEdge['state'],
  around: Around,
): Pick<PlacedEdge, 'path' | 'label'> {
  if (from.card.id === to.card.id) return loop(from)
  const isNextLevel = to.level === from.level + 1
  // Sound edges are drawn behind the cards. The others lie over everything, and must not cross the words of a card.
  return to.y > from.y + from.h && (isNextLevel || state === 'sound')
    ? straightDown(from, to)
    : aroundTheSide(from, to, around)
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

/**
 * Draws an edge that leads up or sideways, as one that closes a cycle does. It leaves below, runs between the levels and
 * to the right of all cards, and enters from above, so that it crosses no card.
 */
function aroundTheSide(from: Box, to: Box, { outside, cards }: Around): Pick<PlacedEdge, 'path' | 'label'> {
  const x0 = from.x + from.w * 0.75
  const x1 = to.x + to.w * 0.75
  const y0 = from.y + from.h
  const y1 = to.y
  const isFree = (y: number) => cards.every((card) => y <= card.y || y >= card.y + card.h)
  const clear = (y: number, sign: 1 | -1) => CLEARANCES.map((by) => y + sign * by).find(isFree) ?? y + sign * 2
  const [below, above] = [clear(y0, 1), clear(y1, -1)]
  const turn = Math.min(8, below - y0, y1 - above)
  const upwards = above < below ? -1 : 1
  return {
    path:
      `M${x0},${y0} V${below - turn} Q${x0},${below} ${x0 + turn},${below} H${outside - turn} ` +
      `Q${outside},${below} ${outside},${below + upwards * turn} V${above - upwards * turn} ` +
      `Q${outside},${above} ${outside - turn},${above} H${x1 + turn} Q${x1},${above} ${x1},${above + turn} V${y1}`,
    label: { x: outside, y: (y0 + y1) / 2 },
  }
}

/** Draws an edge from a node to itself, which leaves and enters below. */
function loop({ x, y, w, h }: Box): Pick<PlacedEdge, 'path' | 'label'> {
  const [x0, x1, bottom] = [x + w * 0.3, x + w * 0.7, y + h]
  return {
    path: `M${x0},${bottom} C${x0},${bottom + 32} ${x1},${bottom + 32} ${x1},${bottom}`,
    label: { x: (x0 + x1) / 2, y: bottom + 24 },
  }
}
