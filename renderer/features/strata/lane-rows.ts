import type { Strata } from '#core/contract/strata.ts'
import { depthColor, depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { mergeNarrow, type Run } from './merge-narrow.ts'
import type { Scale } from './viewport.ts'

const NARROW_PX = 2

type LaneRow = {
  /** −1 for the window. */
  readonly depth: number
  readonly name: string
  readonly color: string
  readonly runs: readonly Run[]
}

/** The window on top, then the depths, deepest first. What is too narrow is merged. */
export function laneRows(
  { summaries, window }: Pick<Strata, 'summaries' | 'window'>,
  scale: Scale,
): readonly LaneRow[] {
  const inOrder = [...window].filter(({ isLeftOut }) => !isLeftOut).sort((a, b) => a.x0 - b.x0)
  const edge = { x0: inOrder.map(({ x0 }) => x0), x1: inOrder.map(({ x1 }) => x1), entries: inOrder.map((_, at) => at) }
  const byDepth = Map.groupBy(
    summaries.id.map((_, entry) => entry),
    (entry) => summaries.depth[entry] ?? 0,
  )
  const depths = [...byDepth].sort(([a], [b]) => b - a)
  return [
    { depth: -1, name: 'window', color: 'var(--lit)', runs: mergeNarrow(edge, scale, NARROW_PX) },
    ...depths.map(([depth, entries]) => ({
      depth,
      name: depthLabel(depth),
      color: depthColor(depth),
      runs: mergeNarrow({ x0: summaries.x0, x1: summaries.x1, entries }, scale, NARROW_PX),
    })),
  ]
}

/** Draws the bars of a row with round corners, as one path: a long history has thousands of them. In CSS pixels. */
export function barsPath(runs: readonly Run[], y: number, height: number, radius: number): string {
  return runs
    .map(({ px0, px1 }) => {
      const width = Math.max(1.5, px1 - px0 - 1)
      const [rx, ry] = [Math.min(radius, width / 2), Math.min(radius, height / 2)]
      const corner = (x: number, y: number) => `a${rx} ${ry} 0 0 1 ${x} ${y}`
      const [across, down] = [width - 2 * rx, height - 2 * ry]
      return (
        `M${px0 + rx} ${y}h${across}${corner(rx, ry)}v${down}${corner(-rx, ry)}` +
        `h${-across}${corner(-rx, -ry)}v${-down}${corner(rx, -ry)}Z`
      )
    })
    .join('')
}
