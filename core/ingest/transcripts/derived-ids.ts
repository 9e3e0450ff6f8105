import { sha256 } from '#core/hashing.ts'

/**
 * Makes ids for records without one: a hash of what the record says and how often the same was said before in the
 * session. When the session is read again, shortened at its beginning or continued, every message gets the same id.
 */
export class DerivedIds {
  /** The key is 48 bits of the hash, so a session of a million messages takes 50 MB. */
  readonly #timesSeen = new Map<number, number>()

  /** `prefix` names the kind of the record. */
  next(prefix: string, ...said: readonly string[]): string {
    const digest = digestOf(said)
    return numbered(`${prefix}_${digest.slice(0, 24)}`, this.#timesOf(digest))
  }

  /** Makes an id unique that a faulty writer may have given twice. */
  named(id: string): string {
    return numbered(id, this.#timesOf(digestOf(['named', id])))
  }

  /** Gives the id that `next` gives to something said for the first time, without counting it. */
  static stem(prefix: string, ...said: readonly string[]): string {
    return `${prefix}_${digestOf(said).slice(0, 24)}`
  }

  /** Counts how often something was said, this time included. */
  #timesOf(digest: string): number {
    const key = Number.parseInt(digest.slice(-12), 16)
    const times = (this.#timesSeen.get(key) ?? 0) + 1
    this.#timesSeen.set(key, times)
    return times
  }
}

/** Gives each conversation of a file the address of the file with its name. A name that occurs again gets a number. */
export class SessionIds {
  readonly #address: string
  readonly #timesSeen = new Map<string, number>()

  constructor(address: string) {
    this.#address = address
  }

  next(name: string): string {
    const times = (this.#timesSeen.get(name) ?? 0) + 1
    this.#timesSeen.set(name, times)
    return `${this.#address}#${numbered(name, times)}`
  }
}

const numbered = (id: string, times: number): string => (times === 1 ? id : `${id}~${times}`)

/** Hashing the lengths as well keeps `ab` + `c` and `a` + `bc` apart. */
const digestOf = (said: readonly string[]): string =>
  sha256(`${said.map((text) => text.length).join(' ')}\n${said.join('')}`.toWellFormed())
