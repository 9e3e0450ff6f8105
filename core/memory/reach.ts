import type { LineageOrder } from './lineage-order.ts'
import type { Links } from './links.ts'
import { type PositionRanges, unionOfRanges } from './position-ranges.ts'

/** A hostile file with more stored range ends than this (80 MB) gets one enclosing range instead of exact ranges. */
const MAX_RANGE_ENDS = 20_000_000

/** The messages that every node reaches through its sources. The nodes of one cycle reach the same. */
export class Reach {
  readonly #links: Links
  /** The ranges of the nodes that have sources. Other nodes reach the messages that they name. */
  readonly #ranges: ReadonlyMap<number, PositionRanges>
  /** How many messages of other conversations each node reaches, or null when no node reaches any. */
  readonly #outside: Float64Array | null

  constructor(links: Links, order: LineageOrder) {
    this.#links = links
    this.#ranges = rangesOfNodes(links, order)
    this.#outside = outsideOfNodes(links, order)
  }

  ranges(node: number): PositionRanges {
    return this.#ranges.get(node) ?? this.#links.rangesOf(node)
  }

  outside(node: number): number {
    return this.#outside?.[node] ?? 0
  }
}

/** Yields the nodes of each component, sources first. */
function* components({ order, component }: LineageOrder): Generator<Int32Array> {
  for (let start = 0, end = 0; start < order.length; start = end) {
    const own = component[order[start] as number]
    while (end < order.length && component[order[end] as number] === own) end += 1
    yield order.subarray(start, end)
  }
}

function rangesOfNodes(links: Links, order: LineageOrder): Map<number, PositionRanges> {
  const reached = new Map<number, PositionRanges>()
  let ends = 0
  for (const members of components(order)) {
    const own = order.component[members[0] as number]
    const parts: PositionRanges[] = []
    for (const node of members) {
      for (const source of links.sources[node] as number[]) {
        if (order.component[source] !== own) parts.push(reached.get(source) ?? links.rangesOf(source))
      }
    }
    if (parts.length === 0 && members.length === 1) continue
    for (const node of members) parts.push(links.rangesOf(node))
    let ranges = unionOfRanges(parts)
    if (!parts.includes(ranges)) ends += ranges.length
    if (ends > MAX_RANGE_ENDS) ranges = hull(ranges)
    for (const node of members) reached.set(node, ranges)
  }
  return reached
}

const hull = (ranges: PositionRanges): PositionRanges =>
  ranges.length <= 2 ? ranges : Int32Array.of(ranges[0] as number, ranges.at(-1) as number)

function outsideOfNodes(links: Links, order: LineageOrder): Float64Array | null {
  if (links.broken.every(({ elsewhere }) => elsewhere === null)) return null
  const outside = new Float64Array(order.order.length)
  for (const members of components(order)) {
    let count = 0
    for (const node of members) {
      count += links.messagesElsewhere([node]).length
      // Sources in the same component have a count of 0 at this time.
      for (const source of links.sources[node] as number[]) count += outside[source] as number
    }
    for (const node of members) outside[node] = count
  }
  return outside
}
