import { createHash } from 'node:crypto'

/**
 * Ids for what has none: a hash of what it says, and how often that was said before in the same session. The same
 * session read again, shortened at its beginning or gone on, gives every message the id that it had.
 */
export class DerivedIds {
  readonly #timesSeen = new Map<string, number>()

  /** `prefix` tells what kind of thing it is; `scope` within what it is counted. */
  next(prefix: string, scope: string, ...said: readonly string[]): string {
    const hash = createHash('sha256')
    for (const text of said) hash.update(`${text.length} `).update(text.toWellFormed())
    const id = `${prefix}_${hash.digest('hex').slice(0, 24)}`
    const key = `${scope}\n${id}`
    const times = (this.#timesSeen.get(key) ?? 0) + 1
    this.#timesSeen.set(key, times)
    return times === 1 ? id : `${id}~${times}`
  }
}
