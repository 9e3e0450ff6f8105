import {
  type DisplayList,
  type Dot,
  FONT_SIZE,
  fitText,
  type Line,
  type Rect,
  type Shape,
  type Text,
} from './shapes.ts'

/** The part of a canvas context that is used. */
export type Pen = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

/** The fonts of the page, which know more scripts. */
let fontFamily: string | undefined

/** Space around the plot for outlines of shapes at its edge. */
const CLIP_SLACK = 2

/** Paints a drawing on its ground. `pixelRatio` device pixels make a CSS pixel. */
export function paintCanvas(pen: Pen, list: DisplayList, pixelRatio: number): void {
  pen.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0)
  pen.globalAlpha = 1
  pen.fillStyle = list.ground
  pen.fillRect(0, 0, list.width, list.height)
  pen.save()
  pen.beginPath()
  pen.rect(list.plot.left - CLIP_SLACK, 0, list.plot.width + 2 * CLIP_SLACK, list.height)
  pen.clip()
  paintShapes(pen, list.plot.shapes)
  pen.restore()
  paintShapes(pen, list.frame)
}

/** Paints shapes over what is there. */
export function paintShapes(pen: Pen, shapes: readonly Shape[]): void {
  fontFamily ??= getComputedStyle(document.documentElement).getPropertyValue('--font').trim()
  pen.font = `${FONT_SIZE}px ${fontFamily}`
  pen.textBaseline = 'middle'
  for (const shape of shapes) {
    switch (shape.kind) {
      case 'rect':
        paintRect(pen, shape)
        break
      case 'line':
        paintLine(pen, shape)
        break
      case 'text':
        paintText(pen, shape)
        break
      case 'dot':
        paintDot(pen, shape)
        break
    }
  }
  pen.globalAlpha = 1
}

function paintRect(pen: Pen, { x, y, w, h, radius = 0, fill, stroke, strokeWidth = 1, opacity = 1 }: Rect): void {
  pen.globalAlpha = opacity
  if (fill !== undefined) pen.fillStyle = fill
  if (radius < 0.5 && stroke === undefined) {
    pen.fillRect(x, y, w, h)
    return
  }
  pen.beginPath()
  pen.roundRect(x, y, w, h, radius)
  if (fill !== undefined) pen.fill()
  if (stroke === undefined) return
  pen.strokeStyle = stroke
  pen.lineWidth = strokeWidth
  pen.stroke()
}

function paintLine(pen: Pen, { x0, y0, x1, y1, stroke, strokeWidth, dash = [], opacity = 1 }: Line): void {
  pen.globalAlpha = opacity
  pen.strokeStyle = stroke
  pen.lineWidth = strokeWidth
  pen.setLineDash([...dash])
  pen.beginPath()
  pen.moveTo(x0, y0)
  pen.lineTo(x1, y1)
  pen.stroke()
  pen.setLineDash([])
}

function paintText(pen: Pen, { x, y, text, fill, align, maxWidth }: Text): void {
  pen.globalAlpha = 1
  pen.fillStyle = fill
  pen.textAlign = align
  pen.fillText(maxWidth === undefined ? text : cutToWidth(pen, text, Math.floor(maxWidth)), x, y)
}

/** Texts that were cut. The same ones are painted in every frame while the view is panned. */
const cuts = new Map<string, string>()
const MOST_CUTS = 2000

function cutToWidth(pen: Pen, text: string, maxWidth: number): string {
  const key = `${maxWidth} ${text}`
  const known = cuts.get(key)
  if (known !== undefined) return known
  const cut = fitText(text, maxWidth, (part) => pen.measureText(part).width)
  if (cuts.size >= MOST_CUTS) cuts.clear()
  cuts.set(key, cut)
  return cut
}

function paintDot(pen: Pen, { form, x, y, radius, fill }: Dot): void {
  pen.globalAlpha = 1
  pen.fillStyle = fill
  pen.beginPath()
  if (form === 'circle') pen.arc(x, y, radius, 0, Math.PI * 2)
  else {
    pen.moveTo(x, y - radius)
    pen.lineTo(x + radius, y)
    pen.lineTo(x, y + radius)
    pen.lineTo(x - radius, y)
    pen.closePath()
  }
  pen.fill()
}
