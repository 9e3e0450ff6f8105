import type { Placements } from '../placements.ts'
import type { Replacement } from './event-log.ts'

type Link = { readonly entry: number | string; before: Link | null; after: Link | null }

/**
 * The window before some replacements, which must come newest first and be the newest ones: each summary goes out and
 * what it replaced comes back to its place. Null when the window does not fit them, because it was changed by something
 * else since.
 */
export function undoReplacements(window: Placements, replacements: readonly Replacement[]): Placements | null {
  const list = new LinkedWindow(window)
  for (const { placed, removed } of replacements) {
    if (!list.replace(placed, removed)) return null
  }
  const entries = list.entries()
  return new Set(entries).size === entries.length ? entries : null
}

/** Replacing some entries by others takes as long as there are many of them, however long the window is. */
export class LinkedWindow {
  readonly #end: Link = { entry: -1, before: null, after: null }
  readonly #links = new Map<number | string, Link>()

  constructor(window: Placements) {
    this.#putBefore(this.#end, window)
  }

  /** False when these entries do not stand there one after the other. */
  replace(placed: Placements, by: Placements): boolean {
    const [first] = placed
    if (first === undefined) {
      this.#putBefore(this.#end, by)
      return true
    }
    let next: Link | null = this.#links.get(first) ?? null
    for (const entry of placed) {
      if (!next || next === this.#end || next.entry !== entry) return false
      next = this.#takeOut(next)
    }
    if (next) this.#putBefore(next, by)
    return next !== null
  }

  entries(): (number | string)[] {
    const entries: (number | string)[] = []
    for (let link = this.#end.before; link; link = link.before) entries.push(link.entry)
    return entries.reverse()
  }

  /** Returns the one after it. */
  #takeOut(link: Link): Link | null {
    this.#links.delete(link.entry)
    if (link.before) link.before.after = link.after
    if (link.after) link.after.before = link.before
    return link.after
  }

  #putBefore(next: Link, window: Placements): void {
    for (const entry of window) {
      const link: Link = { entry, before: next.before, after: next }
      if (next.before) next.before.after = link
      next.before = link
      this.#links.set(entry, link)
    }
  }
}
