/** Returns the first index for which a condition holds that also holds for all later ones, or `length`. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the index of the first value that is at least a limit, among values that never decrease. */
export function firstAtLeast(values: Float64Array, limit: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] as number) < limit) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the index of the first value above a limit, among values that never decrease. */
export const firstAbove = (values: Float64Array, limit: number): number =>
  firstIndex(values.length, (index) => (values[index] as number) > limit)
