import { groupMarks, markText } from './mark-groups.ts'
import type { Scene } from './scene.ts'
import { FONT_SIZE, type Shape } from './shapes.ts'
import { toPx } from './viewport.ts'

const RADIUS = 5
const TEXT_GAP = 6
/** The average width of a character in Inter relative to its size, to decide whether a label fits. */
const CHAR_WIDTH = FONT_SIZE * 0.56

/** Draws gaps and double coverage under the leaves: their position and extent, with words where they fit. */
export function drawMarks({ strata, rows, scale, palette }: Scene): Shape[] {
  const groups = groupMarks(strata.marks, scale)
  const y = rows.marks.y + rows.marks.h / 2
  const right = rows.plot.left + rows.plot.width
  return groups.flatMap((group, order): Shape[] => {
    const tone = group.uncovered > 0 ? 'error' : 'warning'
    const fill = palette[tone]
    const shapes: Shape[] = [
      {
        kind: 'rect',
        x: toPx(scale, group.x0),
        y: rows.marks.y,
        w: Math.max(toPx(scale, group.x1) - toPx(scale, group.x0), 1),
        h: 2,
        fill,
      },
      { kind: 'dot', form: 'diamond', x: group.px, y, radius: RADIUS, fill },
    ]
    const text = markText(group)
    const room = (groups[order + 1]?.px ?? right + RADIUS) - group.px - RADIUS * 2 - TEXT_GAP
    if (text.length * CHAR_WIDTH <= room)
      shapes.push({
        kind: 'text',
        x: group.px + RADIUS + TEXT_GAP,
        y,
        text,
        fill: palette[tone === 'error' ? 'error-text' : 'warning-text'],
        align: 'left',
      })
    return shapes
  })
}

/** Draws a dot for each compaction run, and one dot for runs that would touch. */
export function drawCompactions({ strata, rows, scale, palette }: Scene): Shape[] {
  const y = rows.runs.y + rows.runs.h / 2
  let lastPx = Number.NEGATIVE_INFINITY
  const dots: Shape[] = []
  for (const { x } of [...strata.runs].sort((a, b) => a.x - b.x)) {
    const px = toPx(scale, x)
    if (px - lastPx < 3) continue
    lastPx = px
    dots.push({ kind: 'dot', form: 'circle', x: px, y, radius: 2, fill: palette.lit })
  }
  return dots
}
