import { sha256 } from '../../hashing.ts'

/**
 * Ids for what has none: a hash of what it says, and how often that was said before in the same session. The same
 * session read again, shortened at its beginning or gone on, gives every message the id that it had.
 */
export class DerivedIds {
  /** By 48 bits of the hash: a session of a million messages is counted in 50 MB. */
  readonly #timesSeen = new Map<number, number>()

  /** `prefix` tells what kind of thing it is. */
  next(prefix: string, ...said: readonly string[]): string {
    return this.#count(prefix, said)
  }

  /** For what has an id of its own, which a faulty writer may have given twice. */
  named(id: string): string {
    return numbered(id, this.#again(digestOf(['named', id])))
  }

  /** The id that `next` gave to what was said for the first time, without counting. */
  static stem(prefix: string, ...said: readonly string[]): string {
    return `${prefix}_${digestOf(said).slice(0, 24)}`
  }

  #count(prefix: string, said: readonly string[]): string {
    const digest = digestOf(said)
    return numbered(`${prefix}_${digest.slice(0, 24)}`, this.#again(digest))
  }

  #again(digest: string): number {
    const key = Number.parseInt(digest.slice(-12), 16)
    const times = (this.#timesSeen.get(key) ?? 0) + 1
    this.#timesSeen.set(key, times)
    return times
  }
}

const numbered = (id: string, times: number): string => (times === 1 ? id : `${id}~${times}`)

/** Lengths keep `ab` + `c` and `a` + `bc` apart. */
const digestOf = (said: readonly string[]): string =>
  sha256(`${said.map((text) => text.length).join(' ')}\n${said.join('')}`.toWellFormed())
