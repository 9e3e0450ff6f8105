import { clampViewport, isWhole, type Limits, type Viewport, viewportBetween, wholeOf } from './viewport.ts'

const GLIDE_MS = 160
const SETTLED_AFTER_MS = 90

const prefersStillness = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

/**
 * Holds the viewport outside React, so that panning and zooming render nothing. Drawing functions listen to every
 * change, and fetching functions to the final position.
 */
export class ViewportMotion {
  #limits: Limits
  #current: Viewport
  #settled: Viewport
  #frame = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #onChange = new Set<() => void>()
  readonly #onSettled = new Set<() => void>()

  constructor(limits: Limits, first: Viewport | null = null) {
    this.#limits = limits
    this.#current = clampViewport(first ?? wholeOf(limits), limits)
    this.#settled = this.#current
  }

  get current(): Viewport {
    return this.#current
  }

  get limits(): Limits {
    return this.#limits
  }

  readonly settled = (): Viewport => this.#settled

  /** Moves to a viewport at once. */
  set(viewport: Viewport): void {
    cancelAnimationFrame(this.#frame)
    this.#move(viewport)
  }

  /** Moves to a viewport within a moment, or at once for users who prefer less motion. */
  glideTo(viewport: Viewport): void {
    cancelAnimationFrame(this.#frame)
    const from = this.#current
    const to = clampViewport(viewport, this.#limits)
    if (prefersStillness()) {
      this.#move(to)
      return
    }
    const startMs = performance.now()
    const step = (nowMs: number) => {
      const t = Math.min(Math.max((nowMs - startMs) / GLIDE_MS, 0), 1)
      if (t === 1) return this.#move(to)
      this.#show(viewportBetween(from, to, 1 - (1 - t) ** 3))
      this.#frame = requestAnimationFrame(step)
    }
    this.#frame = requestAnimationFrame(step)
  }

  /** Applies the limits of a history that grew. A view of everything stays one; any other stays unchanged. */
  setLimits(limits: Limits): void {
    if (limits.extent === this.#limits.extent && limits.minWidth === this.#limits.minWidth) return
    const wasWhole = isWhole(this.#current, this.#limits)
    this.#limits = limits
    this.#move(wasWhole ? wholeOf(limits) : this.#current)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#onChange.add(listener)
    return () => this.#onChange.delete(listener)
  }

  readonly subscribeSettled = (listener: () => void): (() => void) => {
    this.#onSettled.add(listener)
    return () => this.#onSettled.delete(listener)
  }

  #move(viewport: Viewport): void {
    this.#show(viewport)
    this.#timer = setTimeout(() => this.#settle(), SETTLED_AFTER_MS)
  }

  /** Shows a position on the way, which settles nothing however long the next frame takes. */
  #show(viewport: Viewport): void {
    clearTimeout(this.#timer)
    this.#current = clampViewport(viewport, this.#limits)
    for (const listener of this.#onChange) listener()
  }

  #settle(): void {
    clearTimeout(this.#timer)
    if (this.#settled.x0 === this.#current.x0 && this.#settled.x1 === this.#current.x1) return
    this.#settled = this.#current
    for (const listener of this.#onSettled) listener()
  }
}
