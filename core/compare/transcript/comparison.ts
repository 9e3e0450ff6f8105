import { alignKeys, countBelow, Gaps, NONE, YIELD_EVERY } from '../align.ts'
import { alignmentKeys } from '../alignment-keys.ts'
import { type Fingerprint, isMovedToFile } from '../fingerprint.ts'
import { compareGap, type Leftover } from './compare-texts.ts'

export type Difference = 'text' | 'role' | 'tool_calls'

/** Texts of this many leftovers on each side are compared. Beyond that hashes decide. */
const MOST_COMPARED = 4000
/** The most leftovers between the same neighbours whose texts are compared. */
const LONGEST_GAP = 400

/** Positions without a counterpart on both sides, between the same neighbours. */
export type OpenGap = { readonly lefts: readonly number[]; readonly rights: readonly number[] }

/**
 * Matches the messages of a transcript (left) with those of a memory (right): first by hashes, then by the texts of the
 * leftovers. It stores no text.
 */
export class Comparison {
  readonly #left: readonly Fingerprint[]
  readonly #right: readonly Fingerprint[]
  #rightOf: Int32Array
  readonly #leftOf: Int32Array
  readonly differing = new Map<number, { readonly right: number; readonly differs: Difference }>()
  /** Right positions that repeat a left message, with that left position. */
  readonly duplicates = new Map<number, number>()
  inFiles = 0
  outOfOrder = 0
  #gaps: Gaps = new Gaps(new Int32Array(0), new Int32Array(0))

  constructor(left: readonly Fingerprint[], right: readonly Fingerprint[]) {
    this.#left = left
    this.#right = right
    this.#rightOf = new Int32Array(left.length).fill(NONE)
    this.#leftOf = new Int32Array(right.length).fill(NONE)
  }

  /** The caller may yield after each step. */
  *matchHashes(): Generator<void, void> {
    const [leftKeys, rightKeys] = yield* alignmentKeys(this.#left, this.#right)
    this.#rightOf = yield* alignKeys(leftKeys, rightKeys)
    this.#rightOf.forEach((right, left) => {
      if (right !== NONE) this.#leftOf[right] = left
    })
    yield* this.#matchAny()
    yield* this.#matchTools()
    this.#gaps = yield* Gaps.between(this.#rightOf)
    this.outOfOrder = this.#rightOf.reduce((count, right) => count + (right < 0 ? 0 : 1), 1 - this.#gaps.count)
    yield* this.#findDuplicates()
    yield* this.#findOtherCalls()
  }

  /** Returns the left messages without a counterpart. */
  get openLeft(): number[] {
    return openIn(this.#rightOf)
  }

  /** Returns the right messages without a counterpart that are not duplicates. */
  get openRight(): number[] {
    return openIn(this.#leftOf).filter((right) => !this.duplicates.has(right))
  }

  rightOf(left: number): number | null {
    const right = this.#rightOf[left] ?? NONE
    return right < 0 ? null : right
  }

  /** Returns the right message after which a left one should stand. */
  rightBefore(left: number): number | null {
    return this.#gaps.rightBefore(this.#gaps.ofLeft(left)) ?? null
  }

  /** Counts a left message as matched although it has no counterpart of its own. */
  settle(left: number): void {
    this.#rightOf[left] = INSIDE
  }

  /**
   * Returns what may be equal although no hash shows it: leftovers between the same neighbours. There is a limit;
   * `cutOff` are left positions that are not compared, or not with all their candidates.
   */
  openGaps(): { readonly gaps: readonly OpenGap[]; readonly cutOff: readonly number[] } {
    const rightsIn = Map.groupBy(this.openRight, (right) => this.#gaps.ofRight(right))
    const gaps: OpenGap[] = []
    const cutOff: number[] = []
    let room = { left: MOST_COMPARED, right: MOST_COMPARED }
    for (const [gap, allLefts] of Map.groupBy(this.openLeft, (left) => this.#gaps.ofLeft(left))) {
      const allRights = rightsIn.get(gap)
      if (!allRights) continue
      const lefts = allLefts.slice(0, Math.min(LONGEST_GAP, room.left))
      const rights = allRights.slice(0, Math.min(LONGEST_GAP, room.right))
      room = { left: room.left - lefts.length, right: room.right - rights.length }
      for (const left of rights.length < allRights.length ? allLefts : allLefts.slice(lefts.length)) cutOff.push(left)
      if (lefts.length > 0) gaps.push({ lefts, rights })
    }
    return { gaps, cutOff }
  }

  /** Compares the texts of leftovers between the same neighbours. */
  *matchTexts(lefts: readonly Leftover[], rights: readonly Leftover[]): Generator<void, void> {
    const result = yield* compareGap(lefts, rights)
    this.inFiles += result.inFiles
    for (const { left, right } of result.same) {
      for (const other of right) this.#pair(left, other)
    }
    for (const { left, right } of result.differing) {
      this.#pair(left, right)
      this.differing.set(left, { right, differs: 'text' })
    }
  }

  /** Matches content under another role or in another field, for example tool output that was stored as content. */
  *#matchAny(): Generator<void, void> {
    const gaps = yield* Gaps.between(this.#rightOf)
    const open = new Map<number, Queue>()
    for (const right of this.openRight) {
      for (const key of this.#right[right]?.any ?? []) {
        const known = open.get(key)
        if (known) known.positions.push(right)
        else open.set(key, { positions: [right], from: 0 })
      }
    }
    for (const [at, left] of this.openLeft.entries()) {
      if (at % YIELD_EVERY === 0) yield
      const one = this.#left[left] as Fingerprint
      const gap = gaps.ofLeft(left)
      const queues = one.any.flatMap((key) => open.get(key) ?? [])
      const isFlipped = (right: number): boolean => {
        const roles = new Set([one.role, this.#right[right]?.role])
        return roles.has('user') && roles.has('assistant')
      }
      // Two people may write the same text, so only one in the same gap is the same message.
      const right =
        firstOf(queues, (queue) => this.#firstIn(queue, gaps, gap)) ??
        firstOf(queues, (queue) => this.#firstFrom(queue, (other) => !isFlipped(other)))
      if (right === undefined) continue
      this.#pair(left, right)
      if (isFlipped(right)) this.differing.set(left, { right, differs: 'role' })
    }
  }

  /** Returns the first open position of a queue that is in a gap. */
  #firstIn(queue: Queue, gaps: Gaps, gap: number): number | undefined {
    const { positions } = queue
    const from = countBelow(positions, (gaps.rightBefore(gap) ?? NONE) + 1)
    for (let at = Math.max(from, this.#passTaken(queue)); at < positions.length; at += 1) {
      const right = positions[at] as number
      if (gaps.ofRight(right) !== gap) return undefined
      if (this.#leftOf[right] === NONE) return right
    }
    return undefined
  }

  #firstFrom(queue: Queue, isWanted: (right: number) => boolean): number | undefined {
    const from = this.#passTaken(queue)
    return queue.positions
      .slice(from, from + MOST_CANDIDATES)
      .find((right) => this.#leftOf[right] === NONE && isWanted(right))
  }

  #passTaken(queue: Queue): number {
    while (queue.from < queue.positions.length && this.#leftOf[queue.positions[queue.from] as number] !== NONE) {
      queue.from += 1
    }
    return queue.from
  }

  /**
   * A system may store calls together with the text of an answer, or in messages of their own. The ids of the calls
   * show where they are.
   */
  *#matchTools(): Generator<void, void> {
    const calls = new Map<number, number>()
    const answers = new Map<number, number>()
    for (const [right, { callIds, answerIds }] of this.#right.entries()) {
      for (const id of callIds) calls.set(id, right)
      for (const id of answerIds) answers.set(id, right)
    }
    const ours = new Set(this.#left.flatMap(({ callIds }) => callIds))
    const primaries = new Set(this.#left.map(({ primary }) => primary))
    yield
    for (const [at, left] of this.openLeft.entries()) {
      if (at % YIELD_EVERY === 0) yield
      const said = this.#left[left] as Fingerprint
      const { holds, callIds, answerIds } = said
      const right = answerIds.map((id) => answers.get(id)).find((at) => at !== undefined && this.#leftOf[at] === NONE)
      if (right !== undefined) {
        this.#pair(left, right)
        if (isMovedToFile(said, this.#right[right] as Fingerprint)) this.inFiles += 1
        else this.differing.set(left, { right, differs: 'text' })
      } else if (holds === 'calls' && callIds.length > 0 && callIds.every((id) => calls.has(id))) {
        this.settle(left)
      } else if (holds === 'nothing') {
        this.settle(left)
      }
    }
    for (const right of openIn(this.#leftOf)) {
      const { holds, callIds, primary } = this.#right[right] as Fingerprint
      const isPart =
        holds === 'nothing' || (holds === 'calls' && callIds.length > 0 && callIds.every((id) => ours.has(id)))
      // Here the call is a message of its own, and in the transcript it is next to its text. The same call as two
      // messages is a duplicate.
      if (isPart && !primaries.has(primary)) this.#leftOf[right] = INSIDE
    }
  }

  /** A message is a duplicate only when it is in the memory more often than in the transcript. */
  *#findDuplicates(): Generator<void, void> {
    const said = new Map<number, number>()
    const missing = new Map<number, number>()
    for (const [left, { any, holds }] of this.#left.entries()) {
      if (left % YIELD_EVERY === 0) yield
      if (holds === 'nothing') continue
      const isOpen = this.#rightOf[left] === NONE
      for (const key of any) {
        if (isOpen) missing.set(key, (missing.get(key) ?? 0) + 1)
        else if (!said.has(key)) said.set(key, left)
      }
    }
    for (const [at, right] of openIn(this.#leftOf).entries()) {
      if (at % YIELD_EVERY === 0) yield
      const keys = this.#right[right]?.any ?? []
      const lacking = keys.find((key) => (missing.get(key) ?? 0) > 0)
      // It may be the missing message in another position or under another role, so it is not surplus.
      if (lacking !== undefined) {
        missing.set(lacking, (missing.get(lacking) ?? 0) - 1)
        continue
      }
      const left = keys.map((key) => said.get(key)).find((one) => one !== undefined)
      if (left !== undefined) this.duplicates.set(right, left)
    }
  }

  /** Finds the same call, by its id, with other arguments. */
  *#findOtherCalls(): Generator<void, void> {
    for (const [left, right] of this.#rightOf.entries()) {
      if (left % YIELD_EVERY === 0) yield
      if (right < 0 || this.differing.has(left)) continue
      const [ours, theirs] = [this.#left[left] as Fingerprint, this.#right[right] as Fingerprint]
      if (ours.calls === 0 || theirs.calls === 0 || ours.calls === theirs.calls) continue
      if (ours.callIds.length > 0 && ours.callIds.join() === theirs.callIds.join()) {
        this.differing.set(left, { right, differs: 'tool_calls' })
      }
    }
  }

  #pair(left: number, right: number): void {
    if ((this.#rightOf[left] ?? NONE) < 0) this.#rightOf[left] = right
    this.#leftOf[right] = left
  }
}

/** Open positions with one hash, ascending. Those before `from` are matched already. */
type Queue = { readonly positions: number[]; from: number }

/** The most messages with equal content that are considered. */
const MOST_CANDIDATES = 100

function firstOf<Item>(items: readonly Item[], find: (item: Item) => number | undefined): number | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** The content is there, inside another message. */
const INSIDE = -2

function openIn(partners: Int32Array): number[] {
  const open: number[] = []
  for (const [at, partner] of partners.entries()) if (partner === NONE) open.push(at)
  return open
}
