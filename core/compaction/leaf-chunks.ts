import { ROLES } from '../contract/ids.ts'
import type { Pairing } from '../window/tool-pairs.ts'
import { MESSAGE, type WindowColumns } from '../window/window.ts'

/** A range of a window: items `from` ≤ i < `to`. */
export type Range = { readonly from: number; readonly to: number }

export type LeafChunks = {
  /** Sorted from the oldest. */
  readonly chunks: readonly Range[]
  /** The number of messages that may be compacted at all. */
  readonly messages: number
  readonly tokens: number
}

export type ChunkLimits = { readonly freshTailCount: number; readonly leafChunkTokens: number }

/** Keeps the transaction of a chunk short when messages have hardly any tokens. */
const MOST_MESSAGES = 1_000
/** A summary has at least one token and must be smaller than its sources. */
export const LEAST_TOKENS = 2

/**
 * Divides everything before the fresh tail into ranges that become one leaf each. System messages, summaries and the
 * fresh tail are never part of a range and end it. A call and its results are always in the same range, with everything
 * in between, even when the range then exceeds the limit. The same holds for a single message that exceeds it. A pair
 * that spans something that stays (it reaches into the fresh tail or past a system message) stays as well.
 */
export function findLeafChunks(window: WindowColumns, pairs: Pairing, limits: ChunkLimits): LeafChunks {
  const { length, tokens: seen, wholeTokens } = window
  const stays = markStaying(window, freshTailStart(window, limits.freshTailCount))
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
  while (index < length) {
    if (stays[index] === 1) {
      close(index)
      index += 1
      from = index
      continue
    }
    const end = (unitEnds[index] as number) || index + 1
    let unit = 0
    // Pruned content also goes into the summary.
    let whole = 0
    for (let member = index; member < end; member += 1) {
      unit += seen[member] as number
      whole += wholeTokens[member] as number
    }
    const isFull = read + whole > limits.leafChunkTokens || end - from > MOST_MESSAGES
    if (isFull && index > from) close(index)
    messages += end - index
    tokens += unit
    sum += unit
    read += whole
    index = end
  }
  close(length)
  return { chunks, messages, tokens }
}

/** Returns the index of the first item of the fresh tail: the newest `count` messages, whatever their role. */
export function freshTailStart({ length, kinds }: Pick<WindowColumns, 'length' | 'kinds'>, count: number): number {
  let left = count
  for (let index = length - 1; index >= 0 && left > 0; index -= 1) {
    if (kinds[index] !== MESSAGE) continue
    left -= 1
    if (left === 0) return index
  }
  return left > 0 ? 0 : length
}

const SYSTEM = ROLES.indexOf('system')

function markStaying({ length, kinds, roles }: WindowColumns, tailStart: number): Uint8Array {
  const stays = new Uint8Array(length).fill(1, tailStart)
  for (let index = 0; index < tailStart; index += 1) {
    if (kinds[index] !== MESSAGE || roles[index] === SYSTEM) stays[index] = 1
  }
  return stays
}

/**
 * Pairs that overlap are compacted together or not at all. If nothing that stays is between their ends, they become one
 * unit, whose end is stored at the index of its first item. Otherwise their members are marked as staying.
 */
function bindPairs({ groups }: Pairing, stays: Uint8Array): Int32Array {
  const staysBefore = new Int32Array(stays.length + 1)
  for (let index = 0; index < stays.length; index += 1) {
    staysBefore[index + 1] = (staysBefore[index] ?? 0) + (stays[index] ?? 0)
  }
  const ends = new Int32Array(stays.length)
  const bind = (cluster: readonly (readonly number[])[], first: number, last: number): void => {
    const isCrossed = (staysBefore[last + 1] as number) > (staysBefore[first] as number)
    if (!isCrossed) ends[first] = last + 1
    else for (const group of cluster) for (const member of group) stays[member] = 1
  }
  // Groups are numbered in the order of their first item.
  let [clusterFrom, first, last] = [0, 0, -1]
  groups.forEach((group, index) => {
    const [begin = 0, end = 0] = [group[0], group.at(-1)]
    if (begin > last) {
      if (index > 0) bind(groups.slice(clusterFrom, index), first, last)
      clusterFrom = index
      first = begin
    }
    last = Math.max(last, end)
  })
  if (groups.length > 0) bind(groups.slice(clusterFrom), first, last)
  return ends
}
