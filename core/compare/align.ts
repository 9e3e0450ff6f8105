import { bestPairs } from './best-pairs.ts'

/** Stands for the partner of a position that has none. */
export const NONE = -1
/** Comparing this many positions takes about a millisecond. */
export const YIELD_EVERY = 4096

/**
 * Pairs equal keys of two sequences. A key that occurs equally often on both sides is paired in order. Otherwise
 * occurrences between the same neighbours are paired first, so that the one that is left over is really missing or
 * surplus. O(n log n). The caller may yield after each step.
 * @returns for each left position its right one, or `NONE`
 */
export function* alignKeys(left: readonly number[], right: readonly number[]): Generator<void, Int32Array> {
  const rightOf = new Int32Array(left.length).fill(NONE)
  const isTaken = new Uint8Array(right.length)
  let paired = 0
  const pair = (at: number, beside: number): boolean => {
    rightOf[at] = beside
    isTaken[beside] = 1
    paired += 1
    return paired % YIELD_EVERY === 0
  }
  const rightAt = yield* positionsOf(right)
  for (const [key, lefts] of yield* positionsOf(left)) {
    const rights = rightAt.get(key)
    if (rights?.length !== lefts.length) continue
    for (const [index, at] of lefts.entries()) if (pair(at, rights[index] as number)) yield
  }
  const gaps = yield* Gaps.between(rightOf)
  for (let gap = 0; gap < gaps.count; gap += 1) {
    if (gap % YIELD_EVERY === 0) yield
    const rights = gaps.rights(gap, right.length).filter((at) => isTaken[at] === 0)
    if (rights.length === 0) continue
    const lefts = gaps.lefts(gap, left.length).filter((at) => rightOf[at] === NONE)
    for (const [at, beside] of pairedKeys(left, right, lefts, rights)) if (pair(at, beside)) yield
    yield
  }
  const lefts = [...left.keys()].filter((at) => rightOf[at] === NONE)
  const rights = [...right.keys()].filter((at) => isTaken[at] === 0)
  for (const [at, beside] of inOrder(left, right, lefts, rights)) if (pair(at, beside)) yield
  return rightOf
}

/** The largest product of two lengths that is compared exactly. This takes about a millisecond. */
const MOST_CELLS = 90_000
/** A pair of different keys counts less than any number of equal ones. */
const IN_PLACE = 1 / 1024

/** Pairs equal keys between the same neighbours, and leaves as few as possible without a partner in the same gap. */
function pairedKeys(
  left: readonly number[],
  right: readonly number[],
  lefts: readonly number[],
  rights: readonly number[],
): Iterable<readonly [number, number]> {
  const known = new Set(rights.map((at) => right[at]))
  if (!lefts.some((at) => known.has(left[at] as number))) return []
  if (lefts.length * rights.length > MOST_CELLS) return inOrder(left, right, lefts, rights)
  const keyOf = (row: number): number | undefined => left[lefts[row] as number]
  const besideOf = (column: number): number | undefined => right[rights[column] as number]
  return bestPairs(lefts.length, rights.length, (row, column) => (keyOf(row) === besideOf(column) ? 1 : IN_PLACE))
    .filter(([row, column]) => keyOf(row) === besideOf(column))
    .map(([row, column]): [number, number] => [lefts[row] as number, rights[column] as number])
}

/** Pairs the first occurrence of a key with the first one on the other side, and so on. */
function* inOrder(
  left: readonly number[],
  right: readonly number[],
  lefts: readonly number[],
  rights: readonly number[],
): Generator<readonly [number, number]> {
  const waiting = Map.groupBy(rights.toReversed(), (at) => right[at] as number)
  for (const at of lefts) {
    const beside = waiting.get(left[at] as number)?.pop()
    if (beside !== undefined) yield [at, beside]
  }
}

/** The gaps between pairs that have the same order on both sides. */
export class Gaps {
  readonly #left: Int32Array
  readonly #right: Int32Array

  constructor(left: Int32Array, right: Int32Array) {
    this.#left = left
    this.#right = right
  }

  /** @param rightOf for each left position its right one, or a negative number */
  static *between(rightOf: Int32Array): Generator<void, Gaps> {
    const left = yield* longestRising(rightOf)
    return new Gaps(
      left,
      left.map((at) => rightOf[at] as number),
    )
  }

  /** Returns the number of gaps. It is one more than the number of pairs in order. */
  get count(): number {
    return this.#left.length + 1
  }

  ofLeft(position: number): number {
    return countBelow(this.#left, position)
  }

  ofRight(position: number): number {
    return countBelow(this.#right, position)
  }

  /** Returns the left positions in a gap. */
  lefts(gap: number, length: number): number[] {
    return between(this.#left, gap, length)
  }

  /** Returns the right positions in a gap. */
  rights(gap: number, length: number): number[] {
    return between(this.#right, gap, length)
  }

  /** Returns the right position of the pair before a gap, or undefined for the first gap. */
  rightBefore(gap: number): number | undefined {
    return this.#right[gap - 1]
  }
}

function between(anchors: Int32Array, gap: number, length: number): number[] {
  const from = (anchors[gap - 1] ?? -1) + 1
  return Array.from({ length: (anchors[gap] ?? length) - from }, (_, index) => from + index)
}

/**
 * Counts how many of the sorted numbers are smaller than a value.
 * @param to how many of the numbers are searched
 */
export function countBelow(sorted: ArrayLike<number>, value: number, to: number = sorted.length): number {
  let low = 0
  let high = to
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns as many left positions as possible whose right positions rise as well. */
export function* longestRising(rightOf: Int32Array): Generator<void, Int32Array> {
  const tails = new Int32Array(rightOf.length)
  const tailValues = new Int32Array(rightOf.length)
  const before = new Int32Array(rightOf.length)
  let most = 0
  for (let left = 0; left < rightOf.length; left += 1) {
    if (left % YIELD_EVERY === 0) yield
    const right = rightOf[left] as number
    if (right < 0) continue
    const isLast = most === 0 || right > (tailValues[most - 1] as number)
    const length = isLast ? most : countBelow(tailValues, right, most)
    before[left] = length === 0 ? NONE : (tails[length - 1] as number)
    tails[length] = left
    tailValues[length] = right
    if (length === most) most += 1
  }
  const rising = new Int32Array(most)
  let left = tails[most - 1] ?? NONE
  for (let at = most - 1; at >= 0; at -= 1) {
    rising[at] = left
    left = before[left] as number
  }
  return rising
}

function* positionsOf(keys: readonly number[]): Generator<void, Map<number, number[]>> {
  const at = new Map<number, number[]>()
  for (const [index, key] of keys.entries()) {
    if (index % YIELD_EVERY === 0) yield
    const known = at.get(key)
    if (known) known.push(index)
    else at.set(key, [index])
  }
  return at
}
