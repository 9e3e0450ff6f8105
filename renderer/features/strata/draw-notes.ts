import { summaryBox } from './draw-summaries.ts'
import type { Scene } from './scene.ts'
import type { Shape } from './shapes.ts'
import { toPx } from './viewport.ts'

/** In CSS pixels. */
const RADIUS = 3
const RING = 1.5
/** Marks of one row that are closer than this are one. */
const NEAR_PX = 5

/** Draws a dot on the upper edge of each bar and over each message that is pinned or noted. */
export function drawNotes({ notes = [], ...scene }: Scene): Shape[] {
  const { left, width } = scene.rows.plot
  const shapes: Shape[] = []
  const drawn = new Map<number, number>()
  for (const { entry, x0, x1 } of notes) {
    const box = entry === null ? null : summaryBox(scene, entry)
    if (entry !== null && box === null) continue
    const end = box === null ? 0 : Math.min(box.x + box.w, left + width)
    const x = box === null ? (toPx(scene.scale, x0) + toPx(scene.scale, x1)) / 2 : Math.max(end - 7, box.x + box.w / 2)
    const y = box === null ? scene.rows.messages.y - RADIUS - 2 : box.y
    if (x < left || x > left + width || Math.abs(x - (drawn.get(y) ?? Number.NEGATIVE_INFINITY)) < NEAR_PX) continue
    drawn.set(y, x)
    const dot = { kind: 'dot', form: 'circle', x, y } as const
    shapes.push({ ...dot, radius: RADIUS + RING, fill: scene.palette.ground })
    shapes.push({ ...dot, radius: RADIUS, fill: scene.palette.link })
  }
  return shapes
}
