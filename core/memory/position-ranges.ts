/** Positions as sorted, disjoint, non-touching pairs [from, to): `[0, 4, 10, 12]` is 0–3 and 10–11. */
export type PositionRanges = Int32Array

export const NO_POSITIONS: PositionRanges = new Int32Array(0)

/** Returns how many positions the ranges contain. */
export function positionCount(ranges: PositionRanges): number {
  let count = 0
  for (let i = 0; i < ranges.length; i += 2) count += (ranges[i + 1] as number) - (ranges[i] as number)
  return count
}

/** Returns the ranges of positions that may come in any order and repeatedly. Positions below 0 are left out. */
export function rangesOfPositions(positions: Int32Array): PositionRanges {
  const [first, last] = [positions[0], positions.at(-1)]
  if (first === undefined || last === undefined) return NO_POSITIONS
  // In sound files the positions of a summary have no gap.
  if (first >= 0 && last - first === positions.length - 1 && isRun(positions)) return Int32Array.of(first, last + 1)
  const pairs: number[] = []
  for (const position of positions.toSorted()) {
    if (position < 0) continue
    const end = pairs.length - 1
    if (end > 0 && position <= (pairs[end] as number)) pairs[end] = Math.max(pairs[end] as number, position + 1)
    else pairs.push(position, position + 1)
  }
  return Int32Array.from(pairs)
}

function isRun(positions: Int32Array): boolean {
  for (let index = 1; index < positions.length; index += 1) {
    if (positions[index] !== (positions[index - 1] as number) + 1) return false
  }
  return true
}

/** Returns the union of ranges. It is one of the inputs when that input contains all others. */
export function unionOfRanges(all: readonly PositionRanges[]): PositionRanges {
  const some = all.filter((ranges) => ranges.length > 0)
  const first = some[0]
  if (first === undefined) return NO_POSITIONS
  if (some.every((ranges) => ranges === first)) return first
  const merged: number[] = []
  const add = (from: number, to: number): void => {
    const end = merged.length - 1
    if (end > 0 && from <= (merged[end] as number)) merged[end] = Math.max(merged[end] as number, to)
    else merged.push(from, to)
  }
  if (some.every((ranges, index) => index === 0 || (ranges[0] as number) >= (some[index - 1]?.at(-2) ?? 0))) {
    for (const ranges of some) {
      for (let i = 0; i < ranges.length; i += 2) add(ranges[i] as number, ranges[i + 1] as number)
    }
  } else {
    const pairs: [number, number][] = []
    for (const ranges of some) {
      for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i] as number, ranges[i + 1] as number])
    }
    pairs.sort((a, b) => a[0] - b[0])
    for (const [from, to] of pairs) add(from, to)
  }
  const same = some.find((ranges) => isEqual(ranges, merged))
  return same ?? Int32Array.from(merged)
}

const isEqual = (a: PositionRanges, b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index])
