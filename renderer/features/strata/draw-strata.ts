import { drawCore } from './draw-core.ts'
import { drawFindingLabels, drawFindings } from './draw-findings.ts'
import { drawAxis, drawOverview, drawRowLabels } from './draw-frame.ts'
import { drawCompactions, drawMarks } from './draw-marks.ts'
import { drawMessages } from './draw-messages.ts'
import { drawFocusedStep, drawPlan } from './draw-plan.ts'
import { drawRange, drawRangeLabel } from './draw-range.ts'
import { drawSummaries, summaryBox } from './draw-summaries.ts'
import { drawFreshTail, drawWindow } from './draw-window.ts'
import type { Scene } from './scene.ts'
import { type DisplayList, outlineOf, type Shape } from './shapes.ts'
import { toPx } from './viewport.ts'

/** Draws everything from the scene alone: the same scene gives the same shapes. */
export function drawStrata(scene: Scene): DisplayList {
  const { rows, palette } = scene
  const tail = drawFreshTail(scene)
  const range = drawRange(scene)
  const isPast = scene.replay != null
  return {
    width: rows.width,
    height: rows.height,
    ground: palette.ground,
    plot: {
      ...rows.plot,
      shapes: [
        ...range.behind,
        ...tail.plot,
        ...drawSelectedColumn(scene),
        ...drawWindow(scene),
        ...drawPlan(scene),
        ...drawSummaries(scene),
        ...(isPast ? [] : drawMarks(scene)),
        ...drawMessages(scene),
        ...drawCompactions(scene),
        ...(isPast ? drawPlayhead(scene) : [...drawFindings(scene), ...drawFindingLabels(scene), ...drawNotes(scene)]),
        ...drawSelectedOutline(scene),
        ...(isPast ? [] : drawCore(scene)),
        ...drawFocusedStep(scene),
        ...range.over,
      ],
    },
    frame: [
      ...tail.frame,
      ...drawRangeLabel(scene),
      ...drawNoSummaries(scene),
      ...drawRowLabels(scene),
      ...drawAxis(scene),
      ...drawOverview(scene),
    ],
  }
}

/** Draws the range of history that the selection covers, through all rows. */
function drawSelectedColumn({ selected, rows, scale, palette }: Scene): Shape[] {
  if (selected === null) return []
  const x = toPx(scale, selected.x0)
  const w = Math.max(toPx(scale, selected.x1) - x, 1)
  const top = rows.window.y + rows.window.h + 6
  const fill = palette.d1
  return [{ kind: 'rect', x, y: top, w, h: rows.messages.y + rows.messages.h - top, fill, opacity: 0.14 }]
}

function drawSelectedOutline(scene: Scene): Shape[] {
  const { selected, rows, scale, palette } = scene
  if (selected === null) return []
  if (selected.entry === null) {
    const x = (toPx(scale, selected.x0) + toPx(scale, selected.x1)) / 2
    return [
      { kind: 'dot', form: 'diamond', x, y: rows.messages.y + rows.messages.h + 3, radius: 3.5, fill: palette.text },
    ]
  }
  const box = summaryBox(scene, selected.entry)
  return box ? [outlineOf(box, palette.text, 1.5)] : []
}

/** Draws the moment that is replayed. What comes after it is not drawn. */
function drawPlayhead({ replay, rows, scale, palette }: Scene): Shape[] {
  if (replay == null) return []
  const x = toPx(scale, replay.x)
  return [
    { kind: 'line', x0: x, y0: rows.window.y - 8, x1: x, y1: rows.axisY, stroke: palette.text, strokeWidth: 1 },
    { kind: 'dot', form: 'diamond', x, y: rows.window.y - 8, radius: 4, fill: palette.text },
  ]
}

/** Says why the rows of summaries are missing, where they would be. */
function drawNoSummaries({ rows, palette }: Scene): Shape[] {
  if (rows.depths.length > 0) return []
  const y = (rows.window.y + rows.window.h + rows.messages.y) / 2
  const x = rows.plot.left + rows.plot.width / 2
  return [{ kind: 'text', x, y, text: 'no summaries yet', fill: palette.dim, align: 'center' }]
}

/** In CSS pixels. */
const NOTE_RADIUS = 3
const NOTE_RING = 1.5
/** Marks of one row that are closer than this are one. */
const NOTES_APART_PX = 5

/** Draws a dot on the upper edge of each bar and over each message that is pinned or noted. */
function drawNotes({ notes = [], ...scene }: Scene): Shape[] {
  const { left, width } = scene.rows.plot
  const shapes: Shape[] = []
  const drawn = new Map<number, number>()
  for (const { entry, x0, x1 } of notes) {
    const box = entry === null ? null : summaryBox(scene, entry)
    if (entry !== null && box === null) continue
    const end = box === null ? 0 : Math.min(box.x + box.w, left + width)
    const x = box === null ? (toPx(scene.scale, x0) + toPx(scene.scale, x1)) / 2 : Math.max(end - 7, box.x + box.w / 2)
    const y = box === null ? scene.rows.messages.y - NOTE_RADIUS - 2 : box.y
    if (x < left || x > left + width || Math.abs(x - (drawn.get(y) ?? Number.NEGATIVE_INFINITY)) < NOTES_APART_PX)
      continue
    drawn.set(y, x)
    const dot = { kind: 'dot', form: 'circle', x, y } as const
    shapes.push({ ...dot, radius: NOTE_RADIUS + NOTE_RING, fill: scene.palette.ground })
    shapes.push({ ...dot, radius: NOTE_RADIUS, fill: scene.palette.link })
  }
  return shapes
}
