import type { Shape } from './shapes.ts'

/** An outline around a bar, clear of its edge. */
export function outlineOf(
  { x, y, w, h }: { readonly x: number; readonly y: number; readonly w: number; readonly h: number },
  stroke: string,
  strokeWidth: number,
): Shape {
  const grow = 1.25
  return { kind: 'rect', x: x - grow, y: y - grow, w: w + grow * 2, h: h + grow * 2, radius: 3.5, stroke, strokeWidth }
}
