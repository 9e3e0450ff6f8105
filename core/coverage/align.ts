/** Positions on both sides that belong together. */
export type Pair = readonly [left: number, right: number]

/**
 * Pairs equal keys of two sequences. Where a key occurs as often on both sides, its occurrences go together in their
 * order. Where it does not, those between the same neighbours go together first, so that what is left over is the one
 * that is really missing or too many. O(n log n).
 */
export function alignKeys(left: readonly number[], right: readonly number[]): Pair[] {
  const rightAt = positionsOf(right)
  const leftAt = positionsOf(left)
  const pairs: Pair[] = []
  const uneven: { readonly lefts: readonly number[]; readonly rights: readonly number[] }[] = []
  for (const [key, lefts] of leftAt) {
    const rights = rightAt.get(key)
    if (!rights) continue
    if (lefts.length === rights.length) pairs.push(...lefts.map((at, index): Pair => [at, rights[index] ?? 0]))
    else uneven.push({ lefts, rights })
  }
  const gaps = new Gaps(pairs)
  for (const { lefts, rights } of uneven) pairs.push(...pairUneven(lefts, rights, gaps))
  return pairs.sort(([a], [b]) => a - b)
}

function pairUneven(lefts: readonly number[], rights: readonly number[], gaps: Gaps): Pair[] {
  const byGap = new Map<number, number[]>()
  for (const right of rights) {
    const gap = gaps.ofRight(right)
    byGap.set(gap, [...(byGap.get(gap) ?? []), right])
  }
  const pairs: Pair[] = []
  const rest: number[] = []
  const taken = new Set<number>()
  for (const left of lefts) {
    const right = byGap.get(gaps.ofLeft(left))?.shift()
    if (right === undefined) rest.push(left)
    else {
      pairs.push([left, right])
      taken.add(right)
    }
  }
  const others = rights.filter((right) => !taken.has(right))
  for (const [index, left] of rest.entries()) {
    const right = others[index]
    if (right !== undefined) pairs.push([left, right])
  }
  return pairs
}

/** The places between pairs that are in the same order on both sides. */
export class Gaps {
  readonly #left: readonly number[]
  readonly #right: readonly number[]

  constructor(pairs: readonly Pair[]) {
    const anchors = longestRising([...pairs].sort(([a], [b]) => a - b))
    this.#left = anchors.map(([left]) => left)
    this.#right = anchors.map(([, right]) => right)
  }

  ofLeft(position: number): number {
    return countBelow(this.#left, position)
  }

  ofRight(position: number): number {
    return countBelow(this.#right, position)
  }

  /** Right position of the anchor before a gap; undefined for the first gap. */
  rightBefore(gap: number): number | undefined {
    return this.#right[gap - 1]
  }
}

function countBelow(sorted: readonly number[], value: number): number {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? 0) < value) from = middle + 1
    else to = middle
  }
  return from
}

/** The most pairs, given in the order of their left side, whose right sides rise too. */
function longestRising(pairs: readonly Pair[]): Pair[] {
  const tails: number[] = []
  const before = new Int32Array(pairs.length).fill(-1)
  const tailValues: number[] = []
  for (const [index, [, right]] of pairs.entries()) {
    const length = countBelow(tailValues, right)
    before[index] = length === 0 ? -1 : (tails[length - 1] ?? -1)
    tails[length] = index
    tailValues[length] = right
  }
  const rising: Pair[] = []
  for (let index = tails.at(-1) ?? -1; index !== -1; index = before[index] ?? -1) {
    rising.push(pairs[index] as Pair)
  }
  return rising.reverse()
}

function positionsOf(keys: readonly number[]): Map<number, number[]> {
  const at = new Map<number, number[]>()
  for (const [index, key] of keys.entries()) {
    const known = at.get(key)
    if (known) known.push(index)
    else at.set(key, [index])
  }
  return at
}
