import { formatClock, formatDate } from '#renderer/ui/texts/format-time.ts'

export type TimeRange = { readonly fromMs: number; readonly toMs: number }

const DAY_MS = 86_400_000

/** A number that is not below the largest value, and whose third is whole, as the grid lines are. */
export function roundTop(largest: number): number {
  if (largest <= 9) return Math.max(3, Math.ceil(largest / 3) * 3)
  const step = 10 ** Math.floor(Math.log10(largest))
  const factor = [1.5, 2.4, 3, 4.5, 6, 9, 15].find((one) => one * step >= largest) ?? 15
  return factor * step
}

/** Three grid lines above zero. */
export const gridValues = (top: number): readonly number[] => [0, 1, 2, 3].map((step) => (top * step) / 3)

/** Times for the axis at equal distances: the hour within two days, otherwise the day. */
export function timeTicks({ fromMs, toMs }: TimeRange): readonly { readonly atMs: number; readonly label: string }[] {
  const isShort = toMs - fromMs <= 2 * DAY_MS
  return [1 / 6, 3 / 6, 5 / 6].map((share) => {
    const atMs = fromMs + (toMs - fromMs) * share
    return { atMs, label: isShort ? formatClock(atMs) : formatDate(atMs) }
  })
}

/** Sorts things into equal parts of a time, oldest first. */
export function binned<T extends { readonly atMs: number }>(
  things: readonly T[],
  { fromMs, toMs }: TimeRange,
  bins: number,
): readonly (TimeRange & { readonly things: readonly T[] })[] {
  const width = (toMs - fromMs) / bins
  const parts = Array.from({ length: bins }, (_, index) => ({
    fromMs: fromMs + index * width,
    toMs: fromMs + (index + 1) * width,
    things: [] as T[],
  }))
  for (const thing of things) {
    const index = Math.min(bins - 1, Math.floor((thing.atMs - fromMs) / width))
    parts[index]?.things.push(thing)
  }
  return parts
}

/** A dragged part of the axis, whichever way it was dragged; null for a click. */
export function draggedRange(oneMs: number, otherMs: number, all: TimeRange): TimeRange | null {
  if (Math.abs(oneMs - otherMs) < (all.toMs - all.fromMs) / 200) return null
  return { fromMs: Math.max(all.fromMs, Math.min(oneMs, otherMs)), toMs: Math.min(all.toMs, Math.max(oneMs, otherMs)) }
}

/** The next part of the axis for an arrow key, a twenty-fourth of it. */
export function steppedRange(now: TimeRange | null, all: TimeRange, direction: 1 | -1): TimeRange {
  const width = (all.toMs - all.fromMs) / 24
  const start = now === null ? (direction > 0 ? all.fromMs - width : all.toMs) : now.fromMs
  const fromMs = Math.max(all.fromMs, Math.min(all.toMs - width, start + direction * width))
  return { fromMs, toMs: fromMs + width }
}
