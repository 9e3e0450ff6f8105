/** A compaction on an axis: its position from 0 to 1, and the depth of its summary. */
type Mark = { readonly x: number; readonly depth: number }

/**
 * Draws marks as one SVG path for each depth, so that thousands of compactions need few elements. Marks on the same
 * pixel are drawn as one, with their greatest depth.
 */
export function depthMarks(marks: readonly Mark[], widthPx: number, heightPx: number): ReadonlyMap<number, string> {
  const deepest = new Map<number, number>()
  for (const { x, depth } of marks) {
    const px = Math.max(0, Math.min(widthPx - 1, Math.floor(x * widthPx))) + 0.5
    deepest.set(px, Math.max(deepest.get(px) ?? 0, Math.min(3, Math.max(0, depth))))
  }
  const paths = new Map<number, string>()
  for (const [px, depth] of deepest) paths.set(depth, `${paths.get(depth) ?? ''}M${px} 0V${heightPx}`)
  return paths
}
