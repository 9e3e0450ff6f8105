import type { Placements } from '../placements.ts'
import type { Replacement } from './event-log.ts'

type Link = { readonly entry: number | string; before: Link | null; after: Link | null }

/**
 * Returns the window before some replacements, which must be the newest ones, newest first: each summary is replaced by
 * its former entries. Returns null when the window does not match them, because something else has changed it since.
 */
export function undoReplacements(window: Placements, replacements: readonly Replacement[]): Placements | null {
  const list = new LinkedWindow(window)
  for (const { placed, removed } of replacements) {
    if (!list.replace(placed, removed)) return null
  }
  const entries = list.entries()
  return new Set(entries).size === entries.length ? entries : null
}

/** A linked list of entries. Replacing entries takes time in proportion to their number, however long the window is. */
export class LinkedWindow {
  readonly #end: Link = { entry: -1, before: null, after: null }
  readonly #summaries = new Map<string, Link>()
  /** Only a change by hand takes messages out again, so that most windows need not find them. */
  #messages: Map<number, Link> | null = null

  constructor(window: Placements) {
    this.#putBefore(this.#end, window)
  }

  /** Returns false when these entries are not consecutive in the window. */
  replace(placed: Placements, by: Placements): boolean {
    const [first] = placed
    if (first === undefined) {
      this.#putBefore(this.#end, by)
      return true
    }
    let next: Link | null = this.#linkOf(first) ?? null
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

  /** Returns the entry after the removed one. */
  #takeOut(link: Link): Link | null {
    if (typeof link.entry === 'string') this.#summaries.delete(link.entry)
    else this.#messages?.delete(link.entry)
    if (link.before) link.before.after = link.after
    if (link.after) link.after.before = link.before
    return link.after
  }

  #putBefore(next: Link, window: Placements): void {
    for (const entry of window) {
      const link: Link = { entry, before: next.before, after: next }
      if (next.before) next.before.after = link
      next.before = link
      if (typeof entry === 'string') this.#summaries.set(entry, link)
      else this.#messages?.set(entry, link)
    }
  }

  #linkOf(entry: number | string): Link | undefined {
    if (typeof entry === 'string') return this.#summaries.get(entry)
    if (this.#messages === null) {
      this.#messages = new Map()
      for (let link = this.#end.before; link; link = link.before)
        if (typeof link.entry === 'number' && !this.#messages.has(link.entry)) this.#messages.set(link.entry, link)
    }
    return this.#messages.get(entry)
  }
}
