import type { Pairing } from '../window/tool-pairs.ts'
import type { WindowItem } from '../window/window.ts'

/** A stretch of a window: items `from` ≤ i < `to`. */
export type Range = { readonly from: number; readonly to: number }

export type LeafChunks = {
  /** Oldest first. */
  readonly chunks: readonly Range[]
  /** Messages that may be compacted at all. */
  readonly messages: number
  readonly tokens: number
}

export type ChunkLimits = { readonly freshTailCount: number; readonly leafChunkTokens: number }

/** Keeps a chunk's transaction short where messages have hardly any tokens. */
const MOST_MESSAGES = 1_000
/** A summary has at least one token and must be smaller than its sources. */
export const LEAST_TOKENS = 2

/**
 * Cuts what lies before the fresh tail into stretches that become one leaf each. System messages, summaries and the
 * fresh tail are never part of one and end it. A call and its results are always in the same stretch, with all that
 * stands between them, even where that makes it larger than the limit; so is a single message that is larger. A pair
 * that reaches over something that stays (into the fresh tail, or past a system message) stays too.
 */
export function findLeafChunks(items: readonly WindowItem[], pairs: Pairing, limits: ChunkLimits): LeafChunks {
  const stays = markStaying(items, freshTailStart(items, limits.freshTailCount))
  const unitEnds = bindPairs(pairs, stays)
  const chunks: Range[] = []
  let [messages, tokens, from, sum, read] = [0, 0, 0, 0, 0]
  const close = (to: number): void => {
    if (sum >= LEAST_TOKENS) chunks.push({ from, to })
    from = to
    sum = 0
    read = 0
  }
  let index = 0
  while (index < items.length) {
    if (stays[index] === 1) {
      close(index)
      index += 1
      from = index
      continue
    }
    const end = unitEnds.get(index) ?? index + 1
    let unit = 0
    // A summary is made of what was pruned, too.
    let whole = 0
    for (let member = index; member < end; member += 1) {
      unit += items[member]?.tokens ?? 0
      whole += (items[member]?.tokens ?? 0) + (items[member]?.pruned?.tokens ?? 0)
    }
    const isFull = read + whole > limits.leafChunkTokens || end - from > MOST_MESSAGES
    if (isFull && index > from) close(index)
    messages += end - index
    tokens += unit
    sum += unit
    read += whole
    index = end
  }
  close(items.length)
  return { chunks, messages, tokens }
}

/** Index of the first item of the fresh tail: the newest `count` messages, whatever their role. */
export function freshTailStart(items: readonly WindowItem[], count: number): number {
  let left = count
  for (let index = items.length - 1; index >= 0 && left > 0; index -= 1) {
    if (items[index]?.kind !== 'message') continue
    left -= 1
    if (left === 0) return index
  }
  return left > 0 ? 0 : items.length
}

function markStaying(items: readonly WindowItem[], tailStart: number): Uint8Array {
  const stays = new Uint8Array(items.length).fill(1, tailStart)
  for (let index = 0; index < tailStart; index += 1) {
    const item = items[index]
    if (item?.kind !== 'message' || item.role === 'system') stays[index] = 1
  }
  return stays
}

/**
 * Pairs that overlap stand and fall together. Where nothing that stays lies between their ends they become one unit
 * (first index → end); otherwise their members are marked as staying.
 */
function bindPairs({ groups }: Pairing, stays: Uint8Array): ReadonlyMap<number, number> {
  const staysBefore = new Int32Array(stays.length + 1)
  for (let index = 0; index < stays.length; index += 1) {
    staysBefore[index + 1] = (staysBefore[index] ?? 0) + (stays[index] ?? 0)
  }
  const units = new Map<number, number>()
  // Groups are numbered in the order of their first item.
  let cluster: (readonly number[])[] = []
  let [first, last] = [0, -1]
  const bind = (): void => {
    const isCrossed = (staysBefore[last + 1] ?? 0) > (staysBefore[first] ?? 0)
    if (!isCrossed) units.set(first, last + 1)
    else for (const member of cluster.flat()) stays[member] = 1
  }
  for (const group of groups) {
    const [begin = 0, end = 0] = [group[0], group.at(-1)]
    if (cluster.length > 0 && begin > last) {
      bind()
      cluster = []
    }
    if (cluster.length === 0) [first, last] = [begin, end]
    last = Math.max(last, end)
    cluster.push(group)
  }
  if (cluster.length > 0) bind()
  return units
}
