import type { Placements } from '../context/placements.ts'
import type { Replacement } from './event-log.ts'

type Link = { readonly entry: number | string; before: Link | null; after: Link | null }

/**
 * The window before some replacements, which must come newest first and be the newest ones: each summary goes out and
 * what it replaced comes back to its place. Null when the window does not fit them, because it was changed by something
 * else since.
 */
export function undoReplacements(window: Placements, replacements: readonly Replacement[]): Placements | null {
  const list = new LinkedWindow(window)
  for (const { summaryId, removed } of replacements) {
    if (!list.replace(summaryId, removed)) return null
  }
  const entries = list.entries()
  return new Set(entries).size === entries.length ? entries : null
}

/** Replacing one entry by many takes as long as there are many, however long the window is. */
class LinkedWindow {
  readonly #end: Link = { entry: -1, before: null, after: null }
  readonly #summaries = new Map<string, Link>()

  constructor(window: Placements) {
    this.#putBefore(this.#end, window)
  }

  replace(summaryId: string, by: Placements): boolean {
    const link = this.#summaries.get(summaryId)
    if (!link?.after) return false
    this.#summaries.delete(summaryId)
    this.#putBefore(link, by)
    if (link.before) link.before.after = link.after
    link.after.before = link.before
    return true
  }

  entries(): (number | string)[] {
    const entries: (number | string)[] = []
    for (let link = this.#end.before; link; link = link.before) entries.push(link.entry)
    return entries.reverse()
  }

  #putBefore(next: Link, window: Placements): void {
    for (const entry of window) {
      const link: Link = { entry, before: next.before, after: next }
      if (next.before) next.before.after = link
      next.before = link
      if (typeof entry === 'string') this.#summaries.set(entry, link)
    }
  }
}
