import type { CompactionEvent } from '../../../core/contract/time-travel.ts'
import type { Course } from './moments.ts'
import { eventPosition } from './time-axis.ts'

/**
 * Draws the ticks of events as one SVG path for each depth, so that thousands of events need few elements. Events on
 * the same pixel are drawn as one with their greatest depth.
 */
export function tickPaths(
  events: readonly Pick<CompactionEvent, 'depth'>[],
  course: Course,
  widthPx: number,
  heightPx: number,
): ReadonlyMap<number, string> {
  const deepest = new Map<number, number>()
  events.forEach(({ depth }, index) => {
    const x = Math.min(widthPx - 1, Math.floor(eventPosition(index, course) * widthPx)) + 0.5
    deepest.set(x, Math.max(deepest.get(x) ?? 0, Math.min(3, Math.max(0, depth))))
  })
  const paths = new Map<number, string>()
  for (const [x, depth] of deepest) paths.set(depth, `${paths.get(depth) ?? ''}M${x} 0V${heightPx}`)
  return paths
}
