import { IdNumbers, Numbers } from './id-numbers.ts'

const NONE = -1
const WRITTEN = 1
const SPOKEN = 2
/** The record alone opens no branch: beside the path it belongs to what it hangs on. */
const FOLLOWER = 4

const LIVE = 1
const GIVEN_UP = 2

/** What a format knows of a record. */
export type RecordFacts = {
  /** True for a record that becomes a message. */
  readonly isSpoken: boolean
  /** The conversation of the record, for files that hold several. */
  readonly group?: number
  /** The answer of which the record is a part: when one part is on the path, no part is on a branch. */
  readonly answer?: string | null
  /** False for a record that may stand beside the path although nobody went back, like a result of a parallel call. */
  readonly opensBranch?: boolean
}

/**
 * The graph of the records of a transcript, for every format whose records name their parents. It is filled while a
 * file is read for the first time, and answers when all records are known: a child may stand before its parent, and a
 * parent may never have been written. It holds the ids and about 60 bytes a record.
 */
export class RecordGraph {
  readonly #numbers = new IdNumbers()
  readonly #ids: string[] = []
  /** The number of the parent plus 1, or 0 for a root. */
  readonly #parents = new Numbers()
  readonly #flags = new Numbers()
  readonly #groups = new Numbers()
  /** The place of the record in the file plus 1. */
  readonly #places = new Numbers()
  /** The answer of which the record is a part plus 1, or 0. */
  readonly #answerOf = new Numbers()
  readonly #answers = new IdNumbers()
  /** The written records in the order of the file. */
  readonly #order = new Numbers()
  /** The last record of each group. */
  readonly #latest: number[] = []
  #count = 0
  /** By group, the records from the root to the leaf: what the agent sees. */
  #paths: number[][] = []
  /** The place of each record on its path plus 1, or 0 for a record beside it. */
  #placeOf: Int32Array = new Int32Array()
  /** LIVE or GIVEN_UP, or 0 until it is asked for. */
  #states: Uint8Array = new Uint8Array()

  /**
   * Adds the next record of the file. A repeated id is ignored.
   * @param parentId null when the record says that it has no parent, undefined when it names none because its format
   * has no parents there: then it follows the record before it
   */
  add(id: string, parentId: string | null | undefined, facts: RecordFacts): void {
    const { isSpoken, group = 0, answer = null, opensBranch = true } = facts
    const number = this.#numberFor(id)
    if (this.#is(number, WRITTEN)) return
    const latest = this.#latest[group] ?? NONE
    const parent = parentId === undefined ? latest : parentId === null ? NONE : this.#numberFor(parentId)
    this.#parents.set(number, (parent === number ? latest : parent) + 1)
    this.#flags.set(number, WRITTEN | (isSpoken ? SPOKEN : 0) | (opensBranch ? 0 : FOLLOWER))
    this.#groups.set(number, group)
    if (answer !== null) this.#answerOf.set(number, this.#answers.add(answer) + 1)
    this.#order.set(this.#count, number)
    this.#count += 1
    this.#places.set(number, this.#count)
    this.#latest[group] = number
  }

  has(id: string): boolean {
    return this.#written(id) !== NONE
  }

  /** Returns the group of a record, or null for an unknown one. */
  groupOf(id: string): number | null {
    const number = this.#written(id)
    return number === NONE ? null : this.#groups.get(number)
  }

  /**
   * Completes the graph after the last record. The leaf is the last record of the file, or what hangs on it although it
   * was written earlier.
   */
  finish(): void {
    const lastChild = this.#lastChildren()
    this.#placeOf = new Int32Array(this.#ids.length)
    this.#paths = this.#latest.map((latest) => this.#pathTo(leafFrom(latest, lastChild)))
    this.#states = new Uint8Array(this.#ids.length)
    const live = new Uint8Array(this.#answers.count + 1)
    for (const path of this.#paths) for (const number of path) live[this.#answerOf.get(number)] = 1
    for (let at = 0; at < this.#count; at += 1) this.#decide(this.#order.get(at), live)
  }

  /** Returns false for a record on a branch that was given up. An unknown id counts as live. */
  isLive(id: string | null): boolean {
    const number = this.#written(id)
    return number === NONE || this.#states[number] !== GIVEN_UP
  }

  /** Returns the parent of a record when it stands behind the record in the file, or else null. */
  parentWrittenLater(id: string): string | null {
    const number = this.#written(id)
    const parent = number === NONE ? NONE : this.#parentOf(number)
    return parent !== NONE && this.#places.get(parent) > this.#places.get(number) ? (this.#ids[parent] ?? null) : null
  }

  /**
   * Follows a reference to any record on the path. Returns the id of the first message at or after it, or null when the
   * record is not on the path or no message follows it.
   */
  messageFrom(id: string): string | null {
    const number = this.#written(id)
    const place = number === NONE ? 0 : (this.#placeOf[number] ?? 0)
    if (place === 0) return null
    const path = this.#paths[this.#groups.get(number)] ?? []
    for (let at = place - 1; at < path.length; at += 1) {
      const candidate = path[at] as number
      if (this.#is(candidate, SPOKEN)) return this.#ids[candidate] ?? null
    }
    return null
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

  /**
   * The last record that hangs on each. A parent that was never written, or that belongs to another group, is replaced
   * by the record before its child.
   */
  #lastChildren(): Int32Array {
    const lastChild = new Int32Array(this.#ids.length).fill(NONE)
    const before: number[] = []
    for (let at = 0; at < this.#count; at += 1) {
      const number = this.#order.get(at)
      const group = this.#groups.get(number)
      let parent = this.#parentOf(number)
      if (parent !== NONE && !(this.#is(parent, WRITTEN) && this.#groups.get(parent) === group)) {
        parent = before[group] ?? NONE
        this.#parents.set(number, parent + 1)
      }
      if (parent !== NONE) lastChild[parent] = number
      before[group] = number
    }
    return lastChild
  }

  #pathTo(leaf: number): number[] {
    const path: number[] = []
    // Records that name each other as parents end the path.
    for (let number = leaf; number !== NONE && this.#placeOf[number] === 0; number = this.#parentOf(number)) {
      this.#placeOf[number] = 1
      path.push(number)
    }
    path.reverse().forEach((number, place) => {
      this.#placeOf[number] = place + 1
    })
    return path
  }

  /** A record beside the path is given up when it, or what it hangs on beside the path, opens a branch. */
  #decide(number: number, liveAnswers: Uint8Array): void {
    const above: number[] = []
    let at = number
    for (; at !== NONE && this.#states[at] === 0 && this.#placeOf[at] === 0; at = this.#parentOf(at)) {
      // Records that name each other as parents hang on nothing.
      this.#states[at] = LIVE
      above.push(at)
    }
    let isGivenUp = at !== NONE && this.#states[at] === GIVEN_UP
    for (const record of above.reverse()) {
      const answer = this.#answerOf.get(record)
      isGivenUp ||= answer === 0 ? !this.#is(record, FOLLOWER) : liveAnswers[answer] !== 1
      this.#states[record] = isGivenUp ? GIVEN_UP : LIVE
    }
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

/** Follows the last record that hangs on each, beginning with the latest one. */
function leafFrom(latest: number | undefined, lastChild: Int32Array): number {
  let leaf = latest ?? NONE
  const seen = new Set<number>()
  for (let child = leaf; child !== NONE && !seen.has(child); child = lastChild[child] ?? NONE) {
    seen.add(child)
    leaf = child
  }
  return leaf
}
