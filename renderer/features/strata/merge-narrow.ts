import { firstIndex } from '#renderer/ui/data/first-index.ts'
import { type Scale, toPx } from './viewport.ts'

/** Bars that are too narrow to be drawn singly, or one wide bar. `first` to `last` are indexes of `entries`. */
export type Run = { readonly first: number; readonly last: number; readonly px0: number; readonly px1: number }

/** Sorted ranges. `entries` lists indexes of the columns, by ascending x0 and x1. */
export type Ranges = {
  readonly x0: readonly number[]
  readonly x1: readonly number[]
  readonly entries: readonly number[]
}

/** Returns where `x` belongs in a sorted lane: at the first of `entries` whose value in `column` is not below it. */
export function firstNotBelow(column: readonly number[], entries: readonly number[], x: number): number {
  return firstIndex(entries.length, (at) => (column[entries[at] ?? 0] ?? 0) >= x)
}

/**
 * Returns what is in sight. Ranges narrower than `minPx` are merged with their neighbours in the same column of pixels,
 * so that each range in sight is in exactly one run. Columns are counted from x = 0, so that panning does not regroup
 * them.
 */
export function mergeNarrow({ x0, x1, entries }: Ranges, scale: Scale, minPx: number): Run[] {
  const runs: { first: number; last: number; px0: number; px1: number }[] = []
  const columnsPerUnit = scale.width / (scale.x1 - scale.x0) / minPx
  let column = Number.NaN
  for (let order = firstNotBelow(x1, entries, scale.x0); order < entries.length; order++) {
    const entry = entries[order] ?? 0
    const start = x0[entry] ?? 0
    if (start > scale.x1) break
    const px0 = toPx(scale, start)
    const px1 = toPx(scale, x1[entry] ?? start)
    const ownColumn = px1 - px0 < minPx ? Math.floor(start * columnsPerUnit) : Number.NaN
    const current = runs.at(-1)
    if (current !== undefined && ownColumn === column) {
      current.last = order
      current.px1 = Math.max(current.px1, px1)
    } else runs.push({ first: order, last: order, px0, px1 })
    column = ownColumn
  }
  return runs
}
