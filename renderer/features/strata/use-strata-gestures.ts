import { type RefObject, useEffect, useRef } from 'react'
import { overviewThumb } from './draw-frame.ts'
import { RANGE_BAND } from './draw-range.ts'
import { type Hit, hitStrata } from './hit.ts'
import type { Scene } from './scene.ts'
import { panViewport, toPx, toX, type Viewport, zoomViewport } from './viewport.ts'
import type { ViewportMotion } from './viewport-motion.ts'

export type Point = { readonly x: number; readonly y: number }

export type GestureHandlers = {
  /** The thing under the pointer, or null while it drags or is elsewhere. */
  readonly onHover: (hit: Hit | null, at: Point) => void
  /** The button is down, and what follows may be a click. */
  readonly onPress?: (hit: Hit | null) => void
  readonly onClick: (hit: Hit | null) => void
  readonly onDoubleClick: (hit: Hit | null) => void
  /** A range of x that is being dragged, or was. Without it, a drag moves the view. */
  readonly onBrush?: (range: Viewport, isDone: boolean) => void
}

type Drag = {
  readonly kind: 'plot' | 'thumb' | 'range' | 'none'
  readonly start: Point
  /** Of a range: the end that stays where it is, on x. */
  readonly fixedX: number
  lastX: number
  hasMoved: boolean
}

/** A press that moves by less than this is a click. */
const CLICK_SLACK_PX = 3
const LINE_PX = 16
const WHEEL_ZOOM = 0.0022
/** The browser reports a pinch as a wheel with Ctrl held, in much smaller steps. */
const PINCH_ZOOM = 0.012

/**
 * Handles wheel, drag, click and hover over the strata without rendering. The viewport moves by itself. A drag marks a
 * range where ranges are marked; with Shift it pans.
 */
export function useStrataGestures(
  target: RefObject<HTMLElement | null>,
  sceneNow: (() => Scene) | null,
  motion: ViewportMotion,
  handlers: GestureHandlers,
): void {
  const latest = useRef({ sceneNow, handlers })
  useEffect(() => {
    latest.current = { sceneNow, handlers }
  })

  useEffect(() => {
    const element = target.current
    if (element === null) return
    const stop = new AbortController()
    const options = { signal: stop.signal }
    let drag: Drag | null = null
    const scene = () => latest.current.sceneNow?.() ?? null
    const pointOf = (event: MouseEvent): Point => {
      const box = element.getBoundingClientRect()
      return { x: event.clientX - box.left, y: event.clientY - box.top }
    }

    const hover = (hit: Hit | null, at: Point) => {
      if (hit === null) delete element.dataset.over
      else element.dataset.over = hit.kind
      latest.current.handlers.onHover(hit, at)
    }

    element.addEventListener(
      'wheel',
      (event) => {
        const now = scene()
        if (now === null || pointOf(event).x < now.rows.plot.left) return
        event.preventDefault()
        wheel(event, pointOf(event), now, motion)
      },
      { ...options, passive: false },
    )
    element.addEventListener(
      'pointerdown',
      (event) => {
        const now = scene()
        if (now === null || event.button !== 0) return
        const start = pointOf(event)
        element.setPointerCapture(event.pointerId)
        const canBrush = latest.current.handlers.onBrush !== undefined
        drag = { ...dragAt(now, start, canBrush && !event.shiftKey), start, lastX: start.x, hasMoved: false }
        hover(null, start)
        latest.current.handlers.onPress?.(hitStrata(now, start.x, start.y))
        if (drag.kind === 'thumb') jumpTo(now, start, motion)
      },
      options,
    )
    element.addEventListener(
      'pointermove',
      (event) => {
        const now = scene()
        if (now === null) return
        const at = pointOf(event)
        if (drag === null) {
          element.toggleAttribute('data-handle', handleAt(now, at) !== null)
          hover(hitStrata(now, at.x, at.y), at)
          return
        }
        if (!drag.hasMoved && Math.abs(at.x - drag.start.x) < CLICK_SLACK_PX) return
        drag.hasMoved = true
        const width = now.scale.x1 - now.scale.x0
        const unitsPerPx =
          drag.kind === 'thumb' ? motion.limits.extent / now.rows.plot.width : -width / now.rows.plot.width
        if (drag.kind === 'range') latest.current.handlers.onBrush?.(brushed(now, drag, at), false)
        else if (drag.kind !== 'none')
          motion.set(panViewport(motion.current, (at.x - drag.lastX) * unitsPerPx, motion.limits))
        drag.lastX = at.x
        element.dataset.dragging = drag.kind
      },
      options,
    )
    const end = (event: PointerEvent) => {
      const now = scene()
      const isClick = drag?.kind !== 'thumb' && drag?.hasMoved === false
      if (now !== null && drag?.kind === 'range' && drag.hasMoved)
        latest.current.handlers.onBrush?.(brushed(now, drag, pointOf(event)), true)
      drag = null
      delete element.dataset.dragging
      if (now === null || !isClick || event.type !== 'pointerup') return
      const at = pointOf(event)
      latest.current.handlers.onClick(hitStrata(now, at.x, at.y))
    }
    element.addEventListener('pointerup', end, options)
    element.addEventListener('pointercancel', end, options)
    element.addEventListener('pointerleave', (event) => hover(null, pointOf(event)), options)
    element.addEventListener(
      'dblclick',
      (event) => {
        const now = scene()
        const at = pointOf(event)
        if (now) latest.current.handlers.onDoubleClick(hitStrata(now, at.x, at.y))
      },
      options,
    )
    return () => stop.abort()
  }, [target, motion])
}

/** Scrolling up and down zooms around the pointer. Scrolling sideways, or with Shift, pans. */
function wheel(event: WheelEvent, at: Point, scene: Scene, motion: ViewportMotion): void {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX
  const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY)
  if (event.shiftKey || isSideways) {
    const px = (isSideways ? event.deltaX : event.deltaY) * unit
    const width = scene.scale.x1 - scene.scale.x0
    motion.set(panViewport(motion.current, (px / scene.rows.plot.width) * width, motion.limits))
    return
  }
  const speed = event.ctrlKey && !event.metaKey ? PINCH_ZOOM : WHEEL_ZOOM
  const step = Math.min(Math.max(-event.deltaY * unit * speed, -0.7), 0.7)
  motion.set(zoomViewport(motion.current, toX(scene.scale, at.x), Math.exp(step), motion.limits))
}

function dragAt(scene: Scene, at: Point, brushes: boolean): Pick<Drag, 'kind' | 'fixedX'> {
  const { rows, scale } = scene
  if (at.y >= rows.overview.y - 4 && at.y <= rows.overview.y + rows.overview.h + 6) return { kind: 'thumb', fixedX: 0 }
  if (at.x < rows.plot.left) return { kind: 'none', fixedX: 0 }
  if (!brushes) return { kind: 'plot', fixedX: 0 }
  return { kind: 'range', fixedX: handleAt(scene, at) ?? toX(scale, at.x) }
}

/** A handle takes the pointer within this distance. */
const HANDLE_SLACK_PX = 6

/** Returns the other end of the range when the pointer is on one of its handles. */
function handleAt({ range, scale }: Scene, { x, y }: Point): number | null {
  if (range == null || y > RANGE_BAND.y + RANGE_BAND.h + 4) return null
  const [toFirst, toLast] = [Math.abs(toPx(scale, range.x0) - x), Math.abs(toPx(scale, range.x1) - x)]
  if (Math.min(toFirst, toLast) > HANDLE_SLACK_PX) return null
  return toFirst < toLast ? range.x1 : range.x0
}

/** Returns the range between the end that stays and the pointer. */
function brushed({ scale }: Scene, { fixedX }: Drag, { x }: Point): Viewport {
  const [from, to] = [fixedX, toX(scale, Math.min(Math.max(x, scale.left), scale.left + scale.width))]
  return { x0: Math.min(from, to), x1: Math.max(from, to) }
}

/** A press beside the thumb moves it under the pointer. */
function jumpTo({ rows, scale }: Scene, { x }: Point, motion: ViewportMotion): void {
  const thumb = overviewThumb(scale, motion.limits.extent, rows.plot)
  if (x >= thumb.x && x <= thumb.x + thumb.w) return
  const wanted = ((x - rows.plot.left) / rows.plot.width) * motion.limits.extent
  const { x0, x1 } = motion.current
  motion.set(panViewport(motion.current, wanted - (x0 + x1) / 2, motion.limits))
}
