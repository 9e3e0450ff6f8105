import { firstIndex } from '#core/binary-search.ts'
import type { ComparedState } from '#core/contract/comparison.ts'

/** A summary on the shared axis. */
export type Bar = {
  readonly node: number
  readonly id: string
  readonly depth: number
  /** Places, end inclusive. */
  readonly first: number
  readonly last: number
  /** Of its text. */
  readonly hash: string
  /** Its first sentence. */
  readonly title: string
}

/** For each bar of one side: how it stands to the other side, and the index of its partner there, or −1. */
export type Paired = { readonly state: ComparedState[]; readonly partner: Int32Array }

/** At most so many bars that overlap one are compared with it. In a sound memory hardly any do. */
const MOST_COMPARED = 64

/**
 * Pairs the summaries of two sides. Equal ones first: same depth, same messages, same text. Then those of the same depth
 * that share at least half of the messages that either stands for, the nearest first.
 */
export function* pairing(a: readonly Bar[], b: readonly Bar[]): Generator<void, readonly [Paired, Paired]> {
  const pairs: readonly [Paired, Paired] = [unpaired(a.length), unpaired(b.length)]
  const pair = (left: number, right: number, state: ComparedState): void => {
    pairs[0].state[left] = pairs[1].state[right] = state
    pairs[0].partner[left] = right
    pairs[1].partner[right] = left
  }
  const keyOf = ({ depth, first, last, hash }: Bar): string => `${depth} ${first} ${last} ${hash}`
  const equal = Map.groupBy([...b.keys()].reverse(), (right) => keyOf(b[right] as Bar))
  for (const [left, bar] of a.entries()) {
    const right = equal.get(keyOf(bar))?.pop()
    if (right !== undefined) pair(left, right, 'same')
  }
  yield
  const near: { left: number; right: number; share: number }[] = []
  const freeOf = (bars: readonly Bar[], { partner }: Paired): Map<number, number[]> =>
    Map.groupBy(
      [...bars.keys()]
        .filter((at) => partner[at] === -1)
        .sort((x, y) => (bars[x] as Bar).first - (bars[y] as Bar).first),
      (at) => (bars[at] as Bar).depth,
    )
  const rights = freeOf(b, pairs[1])
  for (const [depth, lefts] of freeOf(a, pairs[0])) {
    const free = rights.get(depth) ?? []
    for (const [index, left] of lefts.entries()) {
      if (index % 256 === 0) yield
      const bar = a[left] as Bar
      // What shares half with a bar begins less than its length before it.
      const least = bar.first - (bar.last - bar.first + 1)
      const from = firstIndex(free.length, (at) => (b[free[at] as number] as Bar).first >= least)
      for (const right of free.slice(from, from + MOST_COMPARED)) {
        const other = b[right] as Bar
        if (other.first > bar.last) break
        const share = sharedPart(bar, other)
        if (share >= 0.5) near.push({ left, right, share })
      }
    }
  }
  near.sort((x, y) => y.share - x.share || x.left - y.left || x.right - y.right)
  for (const { left, right } of near)
    if (pairs[0].partner[left] === -1 && pairs[1].partner[right] === -1) pair(left, right, 'different')
  return pairs
}

const unpaired = (length: number): Paired => ({
  state: Array.from({ length }, (): ComparedState => 'only'),
  partner: new Int32Array(length).fill(-1),
})

/** Which part of the places that either covers both cover, from 0 to 1. */
function sharedPart(a: Bar, b: Bar): number {
  const shared = Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1
  return Math.max(0, shared) / (Math.max(a.last, b.last) - Math.min(a.first, b.first) + 1)
}
