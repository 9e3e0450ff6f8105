import { IdNumbers, Numbers } from './id-numbers.ts'

const NONE = -1
const WRITTEN = 1
const SPOKEN = 2
/** The record opens no branch by itself. Beside the path it is given up only with the record that it hangs on. */
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
  readonly line?: number
  readonly atMs?: number | null
}

/**
 * A record on the path whose parent cannot be followed. An agent resumes a session at its newest record, and follows the
 * parents back from there. It stops at this record, and does not load what stands before it.
 */
export type ChainBreak = {
  readonly id: string
  readonly line: number
  /** What the record names as its parent. */
  readonly parentId: string
  /** False when no record has that id. Otherwise the parent hangs on the record itself. */
  readonly isParentWritten: boolean
  /** The line of the record that stands before it in its conversation. */
  readonly lineBefore: number
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
  readonly #lines = new Numbers()
  /** The answer of which the record is a part plus 1, or 0. */
  readonly #answerOf = new Numbers()
  readonly #answers = new IdNumbers()
  /** The written records in the order of the file. */
  readonly #order = new Numbers()
  /** The last record of each group, and the latest time in it. */
  readonly #latest: number[] = []
  readonly #latestMs: number[] = []
  readonly #bridgedMs: number
  /** Records that their agent joins to an earlier one, whatever they name as their parent. */
  readonly #bridged = new Set<number>()
  /** Records whose parent cannot be followed, and what they hang on instead. */
  readonly #joints: { readonly number: number; readonly named: number; readonly before: number }[] = []
  #count = 0
  /** By group, the records from the root to the leaf: what the agent sees. */
  #paths: number[][] = []
  /** The place of each record on its path plus 1, or 0 for a record beside it. */
  #placeOf: Int32Array = new Int32Array()
  /** LIVE or GIVEN_UP, or 0 until it is asked for. */
  #states: Uint8Array = new Uint8Array()

  /** @param bridgedMs the agent joins a record without its parent to the record before it when that is not older than this */
  constructor(bridgedMs = Number.NEGATIVE_INFINITY) {
    this.#bridgedMs = bridgedMs
  }

  /**
   * Adds the next record of the file. A repeated id is ignored.
   * @param parentId null when the record says that it has no parent, undefined when it names none because its format
   * has no parents there: then it follows the record before it
   */
  add(id: string, parentId: string | null | undefined, facts: RecordFacts): void {
    const { isSpoken, group = 0, answer = null, opensBranch = true, line = 0, atMs = null } = facts
    const number = this.#numberFor(id)
    if (this.#is(number, WRITTEN)) return
    const latest = this.#latest[group] ?? NONE
    const parent = parentId === undefined ? latest : parentId === null ? NONE : this.#numberFor(parentId)
    this.#parents.set(number, parent + 1)
    this.#flags.set(number, WRITTEN | (isSpoken ? SPOKEN : 0) | (opensBranch ? 0 : FOLLOWER))
    this.#groups.set(number, group)
    if (answer !== null) this.#answerOf.set(number, this.#answers.add(answer) + 1)
    this.#order.set(this.#count, number)
    this.#count += 1
    this.#places.set(number, this.#count)
    this.#lines.set(number, line)
    this.#latest[group] = number
    if (atMs === null) return
    const latestMs = this.#latestMs[group] ?? Number.NEGATIVE_INFINITY
    if (parent !== NONE && !this.#is(parent, WRITTEN) && atMs - latestMs <= this.#bridgedMs) this.#bridged.add(number)
    this.#latestMs[group] = Math.max(atMs, latestMs)
  }

  has(id: string): boolean {
    return this.#written(id) !== NONE
  }

  /** Returns which of two records stands later in the file. One that was not written yet stands nowhere. */
  laterOf(one: string, other: string): string {
    const [first, second] = [this.#written(one), this.#written(other)]
    return second !== NONE && (first === NONE || this.#places.get(second) > this.#places.get(first)) ? other : one
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
    this.#joinBroken()
    const lastChild = this.#lastChildren()
    this.#placeOf = new Int32Array(this.#ids.length)
    this.#paths = this.#latest.map((latest) => this.#pathTo(leafFrom(latest, lastChild)))
    this.#states = new Uint8Array(this.#ids.length)
    const live = new Uint8Array(this.#answers.count + 1)
    for (const path of this.#paths) for (const number of path) live[this.#answerOf.get(number)] = 1
    for (let at = 0; at < this.#count; at += 1) this.#decide(this.#order.get(at), live)
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** The last record of the file, when all records are of one group and none that was written earlier hangs on it. */
  get lastOfAll(): string | null {
    const [path, ...others] = this.#paths.filter((one) => one.length > 0)
    const last = path?.at(-1)
    const isLast = last !== undefined && others.length === 0 && this.#latest.includes(last)
    return isLast ? (this.#ids[last] ?? null) : null
  }

  /** The ids that records name as their parents and that no record has. */
  get unwritten(): readonly string[] {
    return this.#ids.filter((_, number) => !this.#is(number, WRITTEN))
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
      branch.add(this.#ids[number] ?? '')
      number = this.#parentOf(number)
    }
    return branch
  }

  /** Returns the ids of a record and of all that it hangs on: the path of a session that ended with it. */
  pathOf(id: string): Set<string> {
    const path = new Set<string>()
    for (let number = this.#written(id); number !== NONE; number = this.#parentOf(number)) {
      path.add(this.#ids[number] ?? '')
    }
    return path
  }

  /** The breaks on the path to the leaf of each group, in the order of the file. */
  get breaks(): readonly ChainBreak[] {
    return this.#joints
      .filter(({ number }) => (this.#placeOf[number] ?? 0) > 0 && !this.#bridged.has(number))
      .map(({ number, named, before }) => ({
        id: this.#ids[number] ?? '',
        line: this.#lines.get(number),
        parentId: this.#ids[named] ?? '',
        isParentWritten: this.#is(named, WRITTEN),
        lineBefore: this.#lines.get(before),
      }))
  }

  /**
   * Joins each record whose parent cannot be followed to the record before it in its group. Such a parent was never
   * written, is of another group, or hangs on the record itself. The record before it may hang on it, too, when it was
   * written early: then the search goes on before that one. Where the record that is found has a child that was written
   * before it, the record is joined to that child.
   */
  #joinBroken(): void {
    const trees = new Trees()
    const before = new Int32Array(this.#ids.length).fill(NONE)
    const latest: number[] = []
    const early: number[] = []
    const broken: number[] = []
    for (let at = 0; at < this.#count; at += 1) {
      const number = this.#order.get(at)
      const group = this.#groups.get(number)
      before[number] = latest[group] ?? NONE
      latest[group] = number
      const parent = this.#parentOf(number)
      if (parent === NONE) continue
      if (!this.#is(parent, WRITTEN) || this.#groups.get(parent) !== group) broken.push(number)
      else if (this.#places.get(parent) >= this.#places.get(number)) early.push(number)
      else trees.hang(number, parent)
    }
    const earlyChild = new Map<number, number>()
    for (const number of early) {
      const parent = this.#parentOf(number)
      if (trees.rootOf(parent) === number) broken.push(number)
      else {
        trees.hang(number, parent)
        earlyChild.set(parent, number)
      }
    }
    for (const number of broken.sort((a, b) => this.#places.get(a) - this.#places.get(b))) {
      let joined = before[number] ?? NONE
      while (joined !== NONE && trees.rootOf(joined) === number) joined = before[joined] ?? NONE
      for (let child = earlyChild.get(joined); child !== undefined; child = earlyChild.get(joined)) joined = child
      const named = this.#parentOf(number)
      const isElsewhere = this.#is(named, WRITTEN) && this.#groups.get(named) !== this.#groups.get(number)
      if (joined !== NONE && !isElsewhere) this.#joints.push({ number, named, before: joined })
      if (joined !== NONE) trees.hang(number, joined)
      this.#parents.set(number, joined + 1)
    }
  }

  /** The last record that hangs on each. */
  #lastChildren(): Int32Array {
    const lastChild = new Int32Array(this.#ids.length).fill(NONE)
    for (let at = 0; at < this.#count; at += 1) {
      const number = this.#order.get(at)
      const parent = this.#parentOf(number)
      if (parent !== NONE) lastChild[parent] = number
    }
    return lastChild
  }

  #pathTo(leaf: number): number[] {
    const path: number[] = []
    for (let number = leaf; number !== NONE; number = this.#parentOf(number)) path.push(number)
    path.reverse().forEach((number, place) => {
      this.#placeOf[number] = place + 1
    })
    return path
  }

  /** A record beside the path is given up when it, or what it hangs on beside the path, opens a branch. */
  #decide(number: number, liveAnswers: Uint8Array): void {
    const above: number[] = []
    let at = number
    for (; at !== NONE && this.#states[at] === 0 && this.#placeOf[at] === 0; at = this.#parentOf(at)) above.push(at)
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
  for (let child = leaf; child !== NONE; child = lastChild[child] ?? NONE) leaf = child
  return leaf
}

/** Says in which tree each record stands, while records are hung on others. */
class Trees {
  /** What each record was found to hang on, however far above, plus 1. */
  readonly #above = new Numbers()

  hang(number: number, parent: number): void {
    this.#above.set(number, parent + 1)
  }

  rootOf(number: number): number {
    let root = number
    for (let above = this.#above.get(root); above > 0; above = this.#above.get(root)) root = above - 1
    for (let at = number; at !== root; ) {
      const above = this.#above.get(at) - 1
      this.#above.set(at, root + 1)
      at = above
    }
    return root
  }
}
