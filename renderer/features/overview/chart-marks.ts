import type { CompactionEvent } from '../../../core/contract/time-travel.ts'

/**
 * Draws a mark for each compaction, as one SVG path for each depth. Compactions on the same pixel share one mark, with
 * their greatest depth.
 */
export function markPaths(
  events: readonly Pick<CompactionEvent, 'messages' | 'depth'>[],
  messages: number,
  widthPx: number,
  heightPx: number,
): ReadonlyMap<number, string> {
  const deepest = new Map<number, number>()
  for (const { messages: at, depth } of events) {
    const x = Math.max(0, Math.min(widthPx - 1, Math.floor((at / (messages || 1)) * widthPx))) + 0.5
    deepest.set(x, Math.max(deepest.get(x) ?? 0, Math.min(3, Math.max(0, depth))))
  }
  const paths = new Map<number, string>()
  for (const [x, depth] of deepest) paths.set(depth, `${paths.get(depth) ?? ''}M${x} 0V${heightPx}`)
  return paths
}
