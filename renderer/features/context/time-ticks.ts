import type { CompactionEvent } from '../../../core/contract/time-travel.ts'
import type { Course } from './moments.ts'
import { eventPosition } from './time-axis.ts'

/**
 * A tick for each event as one SVG path per depth, so that thousands are a handful of elements. Events that fall on one
 * pixel are drawn as one, of the greatest depth among them.
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
