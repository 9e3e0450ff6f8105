/** The shapes of a drawing, in CSS pixels. Both the canvas and the SVG file are painted from them. */
export type Shape = Rect | Line | Text | Dot

export type Rect = {
  readonly kind: 'rect'
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
  /** The corner radius. Without one the corners are square. */
  readonly radius?: number
  readonly fill?: string
  readonly stroke?: string
  readonly strokeWidth?: number
  /** The opacity from 0 to 1. Without one the shape is opaque. */
  readonly opacity?: number
}

export type Line = {
  readonly kind: 'line'
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
  readonly stroke: string
  readonly strokeWidth: number
  readonly dash?: readonly number[]
  readonly opacity?: number
}

export type Text = {
  readonly kind: 'text'
  readonly x: number
  /** The vertical middle of the line. */
  readonly y: number
  readonly text: string
  readonly fill: string
  readonly align: 'left' | 'center' | 'right'
  /** The width into which the text is cut. Without one it is whole. */
  readonly maxWidth?: number
}

/** A circle, or a diamond. */
export type Dot = {
  readonly kind: 'dot'
  readonly form: 'circle' | 'diamond'
  readonly x: number
  readonly y: number
  readonly radius: number
  readonly fill: string
}

export type DisplayList = {
  readonly width: number
  readonly height: number
  readonly ground: string
  /** Shapes that are clipped at the edges of the plot. */
  readonly plot: { readonly left: number; readonly width: number; readonly shapes: readonly Shape[] }
  /** Labels and the scroll bar, drawn over everything. */
  readonly frame: readonly Shape[]
}

/** An outline around a bar, clear of its edge. */
export function outlineOf(
  { x, y, w, h }: { readonly x: number; readonly y: number; readonly w: number; readonly h: number },
  stroke: string,
  strokeWidth: number,
): Shape {
  const grow = 1.25
  return { kind: 'rect', x: x - grow, y: y - grow, w: w + grow * 2, h: h + grow * 2, radius: 3.5, stroke, strokeWidth }
}

export const FONT_FAMILY = "'Inter Variable', Inter, system-ui, sans-serif"
export const FONT_SIZE = 11

/** Cuts a text to a width, with "…" where something is left out. Empty when not even one character fits. */
export function fitText(text: string, maxWidth: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= maxWidth) return text
  const chars = [...text]
  let [low, high] = [0, chars.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (widthOf(`${chars.slice(0, middle).join('').trimEnd()}…`) <= maxWidth) low = middle
    else high = middle - 1
  }
  return low === 0 ? '' : `${chars.slice(0, low).join('').trimEnd()}…`
}
