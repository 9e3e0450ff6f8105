import { IdNumbers, Numbers } from './id-numbers.ts'

const NONE = -1
const WRITTEN = 1
const SPOKEN = 2

/**
 * The graph of the records of a transcript, for every format whose records name their parents. It is filled while a
 * file is read for the first time, and answers when all records are known: a child may stand before its parent, and a
 * parent may never have been written. It holds the ids and about 40 bytes a record.
 */
export class RecordGraph {
  readonly #numbers = new IdNumbers()
  readonly #ids: string[] = []
  /** The number of the parent plus 1, or 0 for a root. */
  readonly #parents = new Numbers()
  readonly #flags = new Numbers()
  /** The written records in the order of the file. */
  readonly #order = new Numbers()
  readonly #orphans = new Set<number>()
  #count = 0
  /** The records from the root to the leaf: what the agent sees. */
  #path: number[] = []
  /** The place of each record on the path plus 1, or 0 for a record beside it. */
  #placeOf: Int32Array = new Int32Array()

  /**
   * Adds the next record of the file. A repeated id is ignored.
   * @param parentId null when the record says that it has no parent, undefined when it names none because its format
   * has no parents there: then it follows the record before it
   * @param isSpoken true for a record that becomes a message
   */
  add(id: string, parentId: string | null | undefined, isSpoken: boolean): void {
    const number = this.#numberFor(id)
    if (this.#is(number, WRITTEN)) return
    const latest = this.#latest()
    const parent = parentId === undefined ? latest : parentId === null ? NONE : this.#numberFor(parentId)
    this.#parents.set(number, (parent === number ? latest : parent) + 1)
    this.#flags.set(number, isSpoken ? WRITTEN | SPOKEN : WRITTEN)
    this.#order.set(this.#count, number)
    this.#count += 1
  }

  /**
   * Completes the graph after the last record. The leaf is the last record of the file, or what hangs on it although it
   * was written earlier.
   */
  finish(): void {
    const lastChild = this.#lastChildren()
    let leaf = this.#latest()
    const seen = new Set<number>()
    for (let child = leaf; child !== NONE && !seen.has(child); child = lastChild[child] ?? NONE) {
      seen.add(child)
      leaf = child
    }
    this.#placeOf = new Int32Array(this.#ids.length)
    // Records that name each other as parents end the path.
    for (let number = leaf; number !== NONE && this.#placeOf[number] === 0; number = this.#parentOf(number)) {
      this.#placeOf[number] = 1
      this.#path.push(number)
    }
    this.#path.reverse()
    this.#path.forEach((number, place) => {
      this.#placeOf[number] = place + 1
    })
  }

  /** Returns false for a record beside the path. An unknown id counts as live. */
  isLive(id: string | null): boolean {
    const number = this.#written(id)
    return number === NONE || this.#placeOf[number] !== 0
  }

  /** True for a record whose parent was never written to this file. */
  isOrphan(id: string): boolean {
    return this.#orphans.has(this.#numbers.numberOf(id))
  }

  /**
   * Follows a reference to any record on the path. Returns the id of the first message at or after it, or null when the
   * record is not on the path or no message follows it.
   */
  messageFrom(id: string): string | null {
    const number = this.#written(id)
    const place = number === NONE ? 0 : (this.#placeOf[number] ?? 0)
    if (place === 0) return null
    const spoken = this.#path.slice(place - 1).find((candidate) => this.#is(candidate, SPOKEN))
    return spoken === undefined ? null : (this.#ids[spoken] ?? null)
  }

  /** Returns the ids on the branch that ends with a record, back to where it leaves the path. */
  branchOf(id: string): Set<string> {
    const branch = new Set<string>()
    for (let number = this.#written(id); number !== NONE && this.#placeOf[number] === 0; ) {
      const name = this.#ids[number] ?? ''
      if (branch.has(name)) break
      branch.add(name)
      number = this.#parentOf(number)
    }
    return branch
  }

  /** The last record that hangs on each. A parent that was never written is replaced by the record before its child. */
  #lastChildren(): Int32Array {
    const lastChild = new Int32Array(this.#ids.length).fill(NONE)
    for (let at = 0; at < this.#count; at += 1) {
      const number = this.#order.get(at)
      let parent = this.#parentOf(number)
      if (parent !== NONE && !this.#is(parent, WRITTEN)) {
        this.#orphans.add(number)
        parent = at === 0 ? NONE : this.#order.get(at - 1)
        this.#parents.set(number, parent + 1)
      }
      if (parent !== NONE) lastChild[parent] = number
    }
    return lastChild
  }

  #latest(): number {
    return this.#count === 0 ? NONE : this.#order.get(this.#count - 1)
  }

  #parentOf(number: number): number {
    return this.#parents.get(number) - 1
  }

  #is(number: number, flag: number): boolean {
    return (this.#flags.get(number) & flag) !== 0
  }

  #written(id: string | null): number {
    const number = id === null ? NONE : this.#numbers.numberOf(id)
    return number !== NONE && this.#is(number, WRITTEN) ? number : NONE
  }

  #numberFor(id: string): number {
    const number = this.#numbers.add(id)
    if (number === this.#ids.length) this.#ids.push(id)
    return number
  }
}
