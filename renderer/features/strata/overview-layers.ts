import type { Strata } from '#core/contract/strata.ts'
import { keptOf } from '#renderer/ui/data/kept-of.ts'
import { mergeNarrow, type Ranges } from './merge-narrow.ts'
import type { SummaryIndex } from './summary-index.ts'

/** A bar of the overview, in CSS pixels: summaries of a depth, messages as they are, or what the model sees. */
export type OverviewBar = {
  readonly layer: number | 'messages' | 'window'
  readonly x: number
  readonly w: number
  /** True when the window holds one of its summaries. */
  readonly isSeen: boolean
}

/** Bars and gaps narrower than this are merged. */
const NARROW_PX = 2

/** Returns the layers of the whole history. They stay the same while it is panned and zoomed. */
export const overviewLayers = keptOf(layersOf)

function layersOf(
  { summaries, window, extent }: Strata,
  index: SummaryIndex,
  left: number,
  width: number,
): readonly OverviewBar[] {
  const whole = { x0: 0, x1: extent > 0 ? extent : 1, left, width }
  const layer = (name: OverviewBar['layer'], ranges: Ranges, isSeen: (entry: number) => boolean): OverviewBar[] =>
    joined(
      mergeNarrow(ranges, whole, NARROW_PX).map(({ first, last, px0, px1 }) => ({
        layer: name,
        x: px0,
        w: Math.max(1, px1 - px0),
        isSeen: ranges.entries.slice(first, last + 1).some(isSeen),
      })),
    )
  const runs = window.filter(({ isLeftOut }) => !isLeftOut).sort((a, b) => a.x0 - b.x0 || a.x1 - b.x1)
  const rangesOf = (some: typeof runs): Ranges => ({
    x0: some.map(({ x0 }) => x0),
    x1: some.map(({ x1 }) => x1),
    entries: some.map((_, entry) => entry),
  })
  return [
    ...index.rows.flatMap(({ depth, lanes }) =>
      lanes.flatMap((entries) =>
        layer(depth, { x0: summaries.x0, x1: summaries.x1, entries }, (entry) => summaries.inWindow[entry] === 1),
      ),
    ),
    ...layer('messages', rangesOf(runs.filter(({ depth }) => depth < 0)), () => false),
    ...layer('window', rangesOf(runs), () => true),
  ]
}

/** Joins bars that look the same where one of them is too narrow for the gap between them to be seen. */
function joined(bars: readonly OverviewBar[]): OverviewBar[] {
  const list: OverviewBar[] = []
  for (const bar of bars) {
    const before = list.at(-1)
    const isNear = before !== undefined && bar.x - (before.x + before.w) < NARROW_PX / 2
    if (before && isNear && before.isSeen === bar.isSeen && Math.min(before.w, bar.w) < 2 * NARROW_PX)
      list[list.length - 1] = { ...before, w: Math.max(before.w, bar.x + bar.w - before.x) }
    // A wide bar leaves a gap to the next one.
    else list.push({ ...bar, w: bar.w > 2 * NARROW_PX ? bar.w - 1 : bar.w })
  }
  return list
}
