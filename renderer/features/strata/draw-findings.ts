import { summaryBox } from './draw-summaries.ts'
import { groupMarks, markText } from './mark-groups.ts'
import type { PlacedFinding } from './place-nodes.ts'
import type { Scene } from './scene.ts'
import { FONT_SIZE, type Rect, type Shape } from './shapes.ts'
import { toPx } from './viewport.ts'

/** The size of a tick in CSS pixels, whatever node it marks. */
const TICK_WIDTH = 8
const TICK_HEIGHT = 3
/** Ticks of one row that are closer than this are merged. */
const NEAR_PX = 4
/** A mark of the coverage keeps this distance. */
const MARK_ROOM = 12

/** The average width of a character in Inter relative to its size, to decide whether a label fits. */
const CHAR_PX = FONT_SIZE * 0.56
const LABEL_GAP = 5
const DIAMOND = 3.5

/** Draws what was found in words, between the leaves and the messages, where there is room beside the marks. */
export function drawFindingLabels(scene: Scene): Shape[] {
  const { rows, palette, strata, scale } = scene
  const y = rows.marks.y + rows.marks.h / 2
  const right = rows.plot.left + rows.plot.width
  const taken = groupMarks(strata.marks, scale).map((group) => ({
    from: group.px - MARK_ROOM,
    to: group.px + MARK_ROOM + markText(group).length * CHAR_PX,
  }))
  let freeFrom = rows.plot.left
  return (scene.findings ?? []).flatMap((finding): readonly Shape[] => {
    const tick = tickOf(scene, finding)
    if (tick === null || tick.x + tick.w < rows.plot.left || tick.x > right) return []
    const x = tick.x + tick.w / 2
    const end = x + DIAMOND + LABEL_GAP + finding.label.length * CHAR_PX
    const isTaken = taken.some(({ from, to }) => from < end && to > x - DIAMOND)
    if (x - DIAMOND < freeFrom || end > right || isTaken) return []
    freeFrom = end + LABEL_GAP
    const fill = palette[`${finding.severity}-text`]
    return [
      { kind: 'dot', form: 'diamond', x, y, radius: DIAMOND, fill: palette[finding.severity] },
      { kind: 'text', x: x + DIAMOND + LABEL_GAP, y, text: finding.label, fill, align: 'left' },
    ]
  })
}

/** Draws ticks over the nodes with findings of the last scan: red for an error, amber for a warning. */
export function drawFindings(scene: Scene): Shape[] {
  const ticks: Rect[] = []
  for (const finding of scene.findings ?? []) {
    const tick = tickOf(scene, finding)
    const { left, width } = scene.rows.plot
    if (tick === null || tick.x + tick.w < left || tick.x > left + width) continue
    const near = ticks.findIndex((other) => other.y === tick.y && Math.abs(other.x - tick.x) < NEAR_PX)
    if (near < 0) ticks.push(tick)
    // When two ticks are merged, the error is shown.
    else if (finding.severity === 'error') ticks[near] = tick
  }
  return ticks
}

function tickOf(scene: Scene, { entry, x0, x1, severity }: PlacedFinding): Rect | null {
  const { rows, scale, palette } = scene
  const box = entry === null ? null : summaryBox(scene, entry)
  if (entry !== null && box === null) return null
  const px0 = Math.max(toPx(scale, x0), rows.plot.left)
  const w = box === null ? TICK_WIDTH / 2 : Math.min(TICK_WIDTH, Math.max(TICK_WIDTH / 2, box.w))
  return {
    kind: 'rect',
    // A tick is over the middle of a message, and over the beginning of a bar that is wider than the tick.
    x: box === null ? (toPx(scale, x0) + toPx(scale, x1)) / 2 - w / 2 : px0,
    y: box === null ? rows.messages.y - TICK_HEIGHT - 1 : box.y - TICK_HEIGHT - 1,
    w,
    h: TICK_HEIGHT,
    radius: 1,
    fill: palette[severity],
  }
}
