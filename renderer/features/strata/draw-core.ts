import { STATE_SIGNS } from '#renderer/ui/parts/state-mark.tsx'
import type { CoreLayer } from './core-drill.ts'
import { summaryBox } from './draw-summaries.ts'
import type { Scene } from './scene.ts'
import { FONT_SIZE, type Shape } from './shapes.ts'
import { toPx } from './viewport.ts'

const SHAFT_PX = 8
const SHARE_PX = 3
/** The average width of a character in Inter relative to its size, to decide whether a label fits. */
const CHAR_PX = FONT_SIZE * 0.58
const PAD = 5
const PILL_HEIGHT = 16

/** Draws what survives of the selected message: a shaft up through the layers, and at each how much stands there. */
export function drawCore(scene: Scene): Shape[] {
  const { core, rows, scale, palette } = scene
  if (core == null) return []
  const middle = (toPx(scale, core.x0) + toPx(scale, core.x1)) / 2
  const w = Math.max(SHAFT_PX, toPx(scale, core.x1) - toPx(scale, core.x0))
  const shaft: Shape = {
    kind: 'rect',
    x: middle - w / 2,
    y: rows.window.y,
    w,
    h: rows.messages.y - rows.window.y,
    fill: palette.lit,
    opacity: 0.16,
  }
  return [shaft, ...core.layers.flatMap((layer) => drawLayer(scene, layer, middle))]
}

function drawLayer(scene: Scene, { entry, state, kept, details }: CoreLayer, middle: number): readonly Shape[] {
  const { rows, scale, palette } = scene
  const box = entry === null ? { x: scale.left, w: scale.width, ...rows.window } : summaryBox(scene, entry)
  if (box === null) return []
  const left = Math.max(box.x, scale.left)
  const w = Math.min(box.x + box.w, scale.left + scale.width) - left
  const share: readonly Shape[] =
    entry === null || details === 0
      ? []
      : [
          { kind: 'rect', x: left, y: box.y + box.h - SHARE_PX, w, h: SHARE_PX, fill: palette.ground, opacity: 0.45 },
          {
            kind: 'rect',
            x: left,
            y: box.y + box.h - SHARE_PX,
            w: (w * kept) / details,
            h: SHARE_PX,
            fill: palette.lit,
          },
        ]
  const text = details === 0 ? `${STATE_SIGNS[state]} ${state}` : `${STATE_SIGNS[state]} ${kept} of ${details}`
  const width = text.length * CHAR_PX + 2 * PAD
  const x = middle + SHAFT_PX + width > scale.left + scale.width ? middle - SHAFT_PX - width : middle + SHAFT_PX
  const y = box.y + box.h / 2
  const stroke = kept > 0 ? palette.lit : palette['line-strong']
  return [
    ...share,
    { kind: 'rect', x, y: y - PILL_HEIGHT / 2, w: width, h: PILL_HEIGHT, radius: 3, fill: palette.panel, stroke },
    { kind: 'text', x: x + PAD, y, text, fill: palette.text, align: 'left' },
  ]
}
