import type { LineageGraph } from '#core/contract/lineage.ts'
import { spread } from './graph-layout.ts'
import type { Box } from './placed-items.ts'

export const WHOLE_CARD = { w: 220, h: 46 } as const
const COLUMN_GAP = 96
const ROW_GAP = 12

/** Where every summary of a conversation stands. A node is named by its index in the graph. */
export type WholeLayout = {
  readonly graph: LineageGraph
  readonly x: Float64Array
  readonly y: Float64Array
  /** The nodes of each column from top to bottom. The first column has what was made of messages alone. */
  readonly columns: readonly (readonly number[])[]
  readonly columnOf: Int32Array
  /** The index of the links to the sources of a node, and to its dependents. */
  readonly sources: readonly (readonly number[])[]
  readonly dependents: readonly (readonly number[])[]
  readonly bounds: Box
}

/**
 * Places summaries in columns: on the left those that were made of messages, right of its sources what was made of them,
 * and in each column the history from top to bottom. A summary stands beside the middle of its sources, as far as its
 * neighbours leave room. Links that close a cycle move nothing. O(n log n), for the sorting.
 */
export function layoutWhole(graph: LineageGraph): WholeLayout {
  const count = graph.nodes.id.length
  const sources: number[][] = Array.from({ length: count }, () => [])
  const dependents: number[][] = Array.from({ length: count }, () => [])
  graph.links.from.forEach((from, link) => {
    sources[from]?.push(link)
    dependents[graph.links.to[link] ?? -1]?.push(link)
  })
  const columnOf = columnsOf(graph, sources, dependents)
  const columns: number[][] = []
  // Nodes stand in the order of the history, so that each column does.
  columnOf.forEach((column, node) => {
    columns[column] ??= []
    columns[column].push(node)
  })
  const x = Float64Array.from(columnOf, (column) => column * (WHOLE_CARD.w + COLUMN_GAP))
  const y = new Float64Array(count)
  columns.forEach((nodes, column) => {
    const middle = (node: number): number => {
      const below = (sources[node] ?? []).flatMap((link) => {
        const source = graph.links.to[link] ?? -1
        return (columnOf[source] ?? column) < column ? (y[source] ?? 0) : []
      })
      return below.reduce((sum, at) => sum + at, 0) / below.length
    }
    const first = nodes.map((_, place) => place * (WHOLE_CARD.h + ROW_GAP))
    const wishes = nodes.map((node, place) => ({ node, at: column === 0 ? (first[place] ?? 0) : middle(node) }))
    const ordered = wishes.toSorted((a, b) => a.at - b.at || a.node - b.node)
    const placed = spread(
      ordered.map(({ at }) => ({ center: at, width: WHOLE_CARD.h })),
      ROW_GAP,
    )
    ordered.forEach(({ node }, place) => {
      y[node] = placed[place] ?? 0
    })
    columns[column] = ordered.map(({ node }) => node)
  })
  const tops = y.reduce((least, at) => Math.min(least, at), 0)
  const ends = y.reduce((most, at) => Math.max(most, at), 0)
  const width = Math.max(0, columns.length * (WHOLE_CARD.w + COLUMN_GAP) - COLUMN_GAP)
  return {
    ...{ graph, x, y, columns, columnOf, sources, dependents },
    bounds: { x: 0, y: tops, w: width, h: count === 0 ? 0 : ends - tops + WHOLE_CARD.h },
  }
}

/** Returns how many links lie at most between each node and what has no sources. Cycles are gone through once. */
function columnsOf(
  { links }: LineageGraph,
  sources: readonly (readonly number[])[],
  dependents: readonly (readonly number[])[],
): Int32Array {
  const columns = new Int32Array(sources.length)
  const waiting = sources.map((own) => own.filter((link) => links.isCycle[link] !== 1).length)
  const ready = [...waiting.keys()].filter((node) => waiting[node] === 0)
  for (const node of ready)
    for (const link of dependents[node] ?? []) {
      if (links.isCycle[link] === 1) continue
      const above = links.from[link] ?? -1
      columns[above] = Math.max(columns[above] ?? 0, (columns[node] ?? 0) + 1)
      waiting[above] = (waiting[above] ?? 0) - 1
      if (waiting[above] === 0) ready.push(above)
    }
  return columns
}

/** Returns the box of the card of a node. */
export const boxOf = ({ x, y }: WholeLayout, node: number): Box => ({ x: x[node] ?? 0, y: y[node] ?? 0, ...WHOLE_CARD })

/** Returns the node at a point of the drawing, or null. */
export function nodeAt({ columns, x, y }: WholeLayout, at: { readonly x: number; readonly y: number }): number | null {
  const column = columns[Math.floor(at.x / (WHOLE_CARD.w + COLUMN_GAP))]
  if (column === undefined) return null
  const node = column[lastAtMost(column, y, at.y)]
  if (node === undefined) return null
  const isInside = at.x <= (x[node] ?? 0) + WHOLE_CARD.w && at.y <= (y[node] ?? 0) + WHOLE_CARD.h
  return isInside ? node : null
}

/** Returns the nodes whose cards reach into a box. */
export function nodesIn({ columns, x, y }: WholeLayout, box: Box): readonly number[] {
  return columns.flatMap((column) => {
    const left = x[column[0] ?? -1] ?? 0
    if (left > box.x + box.w || left + WHOLE_CARD.w < box.x) return []
    const from = Math.max(0, lastAtMost(column, y, box.y - WHOLE_CARD.h))
    return column.slice(from, lastAtMost(column, y, box.y + box.h) + 1)
  })
}

/** Returns the place of the last node that begins at most at `top`, or −1. */
function lastAtMost(column: readonly number[], y: Float64Array, top: number): number {
  let low = 0
  let high = column.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((y[column[middle] ?? -1] ?? 0) <= top) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** SVG path data of the boxes of some nodes. */
export const boxesPath = ({ x, y }: WholeLayout, nodes: readonly number[]): string =>
  nodes.map((node) => `M${x[node]},${y[node]}h${WHOLE_CARD.w}v${WHOLE_CARD.h}h${-WHOLE_CARD.w}z`).join('')

/** SVG path data of some links, each from the left edge of a summary to the right edge of its source. */
export function linksPath({ graph, x, y }: WholeLayout, links: readonly number[]): string {
  return links
    .map((link) => {
      const [from, to] = [graph.links.from[link] ?? 0, graph.links.to[link] ?? 0]
      const [x0, x1] = [x[from] ?? 0, (x[to] ?? 0) + WHOLE_CARD.w]
      const [y0, y1] = [(y[from] ?? 0) + WHOLE_CARD.h / 2, (y[to] ?? 0) + WHOLE_CARD.h / 2]
      // One that leads to the right, as in a cycle, leaves and enters on the outside.
      const bend = Math.max(COLUMN_GAP / 2, (x1 - x0) / 2)
      return `M${x0},${y0}C${x0 - bend},${y0} ${x1 + bend},${y1} ${x1},${y1}`
    })
    .join('')
}
