import { alignKeys, Gaps, type Pair } from './align.ts'
import { compareGap, type Leftover } from './compare-texts.ts'
import type { Fingerprint } from './fingerprint.ts'

export type Difference = 'text' | 'role' | 'tool_calls'

const NONE = -1
/** Texts of so many leftovers a side are compared; beyond that hashes decide. */
export const COMPARED_LEFTOVERS = 4000

/**
 * Matches the messages of a transcript (left) with those of a memory (right), by hashes first and by the texts of what
 * is left over then. Holds no text.
 */
export class Comparison {
  readonly #left: readonly Fingerprint[]
  readonly #right: readonly Fingerprint[]
  readonly #rightOf: Int32Array
  readonly #leftOf: Int32Array
  readonly differing = new Map<number, { readonly right: number; readonly differs: Difference }>()
  /** Right positions that stand for a left message once more; the left one. */
  readonly duplicates = new Map<number, number>()
  inFiles = 0
  outOfOrder = 0
  #gaps: Gaps = new Gaps([])

  constructor(left: readonly Fingerprint[], right: readonly Fingerprint[]) {
    this.#left = left
    this.#right = right
    this.#rightOf = new Int32Array(left.length).fill(NONE)
    this.#leftOf = new Int32Array(right.length).fill(NONE)
  }

  /** Steps are good moments to let others have their turn. */
  *matchHashes(): Generator<void, void> {
    const primary = alignKeys(
      this.#left.map((one) => one.primary),
      this.#right.map((one) => one.primary),
    )
    for (const pair of primary) this.#pair(pair)
    yield
    this.#matchAny()
    yield
    this.#matchTools()
    yield
    const pairs = this.#pairs()
    this.#gaps = new Gaps(pairs)
    this.outOfOrder = pairs.filter(([left, right]) => this.#gaps.ofLeft(left) !== this.#gaps.ofRight(right)).length
    this.#findDuplicates()
  }

  /** Left messages without a counterpart. */
  get openLeft(): number[] {
    return openIn(this.#rightOf)
  }

  /** Right messages without a counterpart that are no duplicates. */
  get openRight(): number[] {
    return openIn(this.#leftOf).filter((right) => !this.duplicates.has(right))
  }

  rightOf(left: number): number | null {
    const right = this.#rightOf[left] ?? NONE
    return right < 0 ? null : right
  }

  /** The right message after which a left one ought to stand. */
  placeOf(left: number): number | null {
    return this.#gaps.rightBefore(this.#gaps.ofLeft(left)) ?? null
  }

  /** Takes a left message for matched although it has no counterpart of its own. */
  settle(left: number): void {
    this.#rightOf[left] = INSIDE
  }

  /** Compares texts of what is left over between the same neighbours. */
  *matchTexts(lefts: readonly Leftover[], rights: readonly Leftover[]): Generator<void, void> {
    const byGap = Map.groupBy(rights, ({ index }) => this.#gaps.ofRight(index))
    for (const [gap, ours] of Map.groupBy(lefts, ({ index }) => this.#gaps.ofLeft(index))) {
      const result = compareGap(ours, byGap.get(gap) ?? [])
      this.inFiles += result.inFiles
      for (const { left, right } of result.same) {
        for (const other of right) this.#pair([left, other])
      }
      for (const { left, right } of result.differing) {
        this.#pair([left, right])
        this.differing.set(left, { right, differs: 'text' })
      }
      yield
    }
  }

  /** What stands under another role, or in another field: tool output as content, and so on. */
  #matchAny(): void {
    const gaps = new Gaps(this.#pairs())
    const open = new Map<number, number[]>()
    for (const right of openIn(this.#leftOf)) {
      for (const key of this.#right[right]?.any ?? []) {
        const known = open.get(key)
        if (known) known.push(right)
        else open.set(key, [right])
      }
    }
    for (const left of openIn(this.#rightOf)) {
      const one = this.#left[left] as Fingerprint
      const isFlipped = (right: number): boolean => {
        const roles = new Set([one.role, this.#right[right]?.role])
        return roles.has('user') && roles.has('assistant')
      }
      const candidates = one.any
        .flatMap((key) => (open.get(key) ?? []).slice(0, MOST_CANDIDATES))
        .filter((at) => this.#leftOf[at] === NONE)
      // Two people may say the same: only in the same place it is the same message.
      const right = candidates.find((at) => !isFlipped(at) || gaps.ofLeft(left) === gaps.ofRight(at))
      if (right === undefined) continue
      this.#pair([left, right])
      for (const key of this.#right[right]?.any ?? []) remove(open.get(key) ?? [], right)
      if (isFlipped(right)) this.differing.set(left, { right, differs: 'role' })
    }
  }

  /** Calls stand beside the text of an answer in one place and alone in another; their ids tell where they went. */
  #matchTools(): void {
    const calls = new Map<number, number>()
    const answers = new Map<number, number>()
    for (const [right, { callIds, answerIds }] of this.#right.entries()) {
      for (const id of callIds) calls.set(id, right)
      for (const id of answerIds) answers.set(id, right)
    }
    const ours = new Set(this.#left.flatMap(({ callIds }) => callIds))
    for (const left of openIn(this.#rightOf)) {
      const { holds, callIds, answerIds } = this.#left[left] as Fingerprint
      const right = answerIds.map((id) => answers.get(id)).find((at) => at !== undefined && this.#leftOf[at] === NONE)
      if (right !== undefined) {
        this.#pair([left, right])
        this.differing.set(left, { right, differs: 'text' })
      } else if (holds === 'calls' && callIds.length > 0 && callIds.every((id) => calls.has(id))) {
        this.settle(left)
      } else if (holds === 'nothing') {
        this.settle(left)
      }
    }
    for (const right of openIn(this.#leftOf)) {
      const { holds, callIds } = this.#right[right] as Fingerprint
      const isPart =
        holds === 'nothing' || (holds === 'calls' && callIds.length > 0 && callIds.every((id) => ours.has(id)))
      // A call alone that stands beside its text in the transcript; the same call alone twice is a duplicate.
      if (isPart && !this.#isKnownPrimary(right)) this.#leftOf[right] = INSIDE
    }
  }

  #isKnownPrimary(right: number): boolean {
    this.#primaries ??= new Set(this.#left.map(({ primary }) => primary))
    return this.#primaries.has(this.#right[right]?.primary ?? NONE)
  }
  #primaries: Set<number> | null = null

  #findDuplicates(): void {
    const said = new Map<number, number>()
    for (const [left, { any, holds }] of this.#left.entries()) {
      if (holds === 'nothing') continue
      for (const key of any) if (!said.has(key)) said.set(key, left)
    }
    for (const right of openIn(this.#leftOf)) {
      const left = this.#right[right]?.any.map((key) => said.get(key)).find((at) => at !== undefined)
      if (left !== undefined) this.duplicates.set(right, left)
    }
    for (const [left, right] of this.#pairs()) {
      const [ours, theirs] = [this.#left[left] as Fingerprint, this.#right[right] as Fingerprint]
      if (ours.calls === 0 || theirs.calls === 0 || ours.calls === theirs.calls || this.differing.has(left)) continue
      if (ours.callIds.length > 0 && ours.callIds.join() === theirs.callIds.join()) {
        this.differing.set(left, { right, differs: 'tool_calls' })
      }
    }
  }

  #pairs(): Pair[] {
    return Array.from(this.#rightOf).flatMap((right, left): Pair[] => (right >= 0 ? [[left, right]] : []))
  }

  #pair([left, right]: Pair): void {
    if ((this.#rightOf[left] ?? NONE) < 0) this.#rightOf[left] = right
    this.#leftOf[right] = left
  }
}

/** Of messages that say the same so many are looked at. */
const MOST_CANDIDATES = 100

function remove(list: number[], item: number): void {
  const at = list.indexOf(item)
  if (at !== -1) list.splice(at, 1)
}

/** Its content is there, in another message. */
const INSIDE = -2

function openIn(partners: Int32Array): number[] {
  const open: number[] = []
  for (const [at, partner] of partners.entries()) if (partner === NONE) open.push(at)
  return open
}
