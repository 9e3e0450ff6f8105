import { type RefObject, useLayoutEffect, useRef } from 'react'
import { plannedBox } from './draw-plan.ts'
import { drawStrata } from './draw-strata.ts'
import { summaryBox } from './draw-summaries.ts'
import type { Hit } from './hit.ts'
import type { Hovering } from './hovering.ts'
import { paintCanvas, paintShapes } from './paint-canvas.ts'
import type { Scene } from './scene.ts'
import { outlineOf } from './shapes.ts'
import type { ViewportMotion } from './viewport-motion.ts'

type Canvas = RefObject<HTMLCanvasElement | null>

/**
 * Paints the scene before the next frame is shown: a new one, and the same whenever the viewport moves. Painting is a
 * task of its own, after that of rendering. The overlay follows the pointer, so that hovering does not paint the strata
 * again.
 */
export function useStrataDrawing(
  base: Canvas,
  overlay: Canvas,
  sceneNow: (() => Scene) | null,
  motion: ViewportMotion,
  hovering: Hovering,
): void {
  const latest = useRef(sceneNow)
  const paintSoon = useRef<(() => void) | null>(null)

  useLayoutEffect(() => {
    let frame = 0
    const hover = (scene = latest.current?.()) => {
      if (scene) paintOverlay(overlay.current, scene, hovering.now()?.hit ?? null)
    }
    const paint = () => {
      frame = 0
      const scene = latest.current?.()
      if (scene === undefined) return
      paintBase(base.current, scene)
      hover(scene)
    }
    const schedule = () => {
      if (frame === 0) frame = requestAnimationFrame(paint)
    }
    paintSoon.current = schedule
    const unsubscribe = motion.subscribe(schedule)
    const leave = hovering.subscribe(() => hover())
    // The browser's zoom changes the pixel ratio and causes a resize event.
    window.addEventListener('resize', schedule)
    document.fonts.addEventListener('loadingdone', schedule)
    schedule()
    return () => {
      cancelAnimationFrame(frame)
      unsubscribe()
      leave()
      window.removeEventListener('resize', schedule)
      document.fonts.removeEventListener('loadingdone', schedule)
    }
  }, [base, overlay, motion, hovering])

  useLayoutEffect(() => {
    latest.current = sceneNow
    paintSoon.current?.()
  }, [sceneNow])
}

function paintBase(canvas: HTMLCanvasElement | null, scene: Scene): void {
  const pen = canvas && penOf(canvas, scene)
  if (pen) paintCanvas(pen, drawStrata(scene), devicePixelRatio)
}

function paintOverlay(canvas: HTMLCanvasElement | null, scene: Scene, hovered: Hit | null): void {
  const pen = canvas && penOf(canvas, scene)
  if (!pen) return
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
  pen.clearRect(0, 0, scene.rows.width, scene.rows.height)
  const box =
    hovered?.kind === 'summary'
      ? summaryBox(scene, hovered.entry)
      : hovered?.kind === 'planned'
        ? plannedBox(scene, hovered.step)
        : null
  if (box) paintShapes(pen, [outlineOf(box, scene.palette.dim, 1)])
}

/** Returns the context of a canvas whose size in pixels matches the screen. */
function penOf(canvas: HTMLCanvasElement, { rows }: Scene): CanvasRenderingContext2D | null {
  const width = Math.round(rows.width * devicePixelRatio)
  const height = Math.round(rows.height * devicePixelRatio)
  // Setting either value empties the canvas, even if it does not change.
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
  return canvas.getContext('2d')
}
