import type { Hit } from './hit.ts'
import type { Point } from './use-strata-gestures.ts'

type Hovered = { readonly hit: Hit; readonly at: Point }

/** What is under the pointer. It changes many times a second, so only what shows it is told. */
export class Hovering {
  private readonly listeners = new Set<() => void>()
  private hovered: Hovered | null = null

  readonly now = (): Hovered | null => this.hovered

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly set = (hit: Hit | null, at: Point): void => {
    if (hit === null && this.hovered === null) return
    this.hovered = hit && { hit, at }
    for (const listener of this.listeners) listener()
  }
}
