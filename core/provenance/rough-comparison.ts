import type { IndexView } from './index-view.ts'
import { LONGEST_UNIT } from './passages.ts'
import { SCORE } from './thresholds.ts'
import { LONGEST_WORD } from './vocabulary.ts'
import type { WeighedClaim } from './weighed-claim.ts'
import { HIGHEST_SCORE, mostScore, WIDEST_WINDOW } from './window-comparison.ts'
import { SWITCHED } from './word-lists.ts'

/** How many windows are compared closely for each claim. */
const CANDIDATES = 16
/** A term in more units than this says little. Its units are not walked when rarer terms have found some. */
const COMMON_UNITS = 20_000

/** A unit that shares much with a claim, and a score that no window around it exceeds. */
export type Promising = { readonly unit: number; readonly most: number }

/**
 * Returns the units that share most with a claim, by a rough count. The terms of each unit are marked meanwhile, a bit for
 * each, so that most units need not be read: no window around them reaches the best one.
 */
export function promisingUnits(weighed: WeighedClaim, index: IndexView): Promising[] {
  const { claim, terms, weights } = weighed
  const coarse = index.roughScores
  const words = (terms.length + 31) >> 5
  const marks = index.roughMarks(words)
  const touched: number[] = []
  const frequencies = terms.map((term) => index.frequencyOf(term))
  const rareFirst = [...terms.keys()].sort((a, b) => (frequencies[a] as number) - (frequencies[b] as number))
  const add = (unit: number, weight: number): void => {
    if (coarse[unit] === 0) touched.push(unit)
    coarse[unit] = (coarse[unit] as number) + weight
  }
  let isComplete = !mayStandUnlisted(weighed, index)
  for (const place of rareFirst) {
    if (touched.length > CANDIDATES && (frequencies[place] as number) > COMMON_UNITS) {
      isComplete = false
      break
    }
    const bit = 1 << (place & 31)
    for (const unit of index.unitsWith(terms[place] as number)) {
      add(unit, weights[place] as number)
      const word = unit * words + (place >> 5)
      marks[word] = (marks[word] as number) | bit
    }
  }
  let held = 0
  for (const specific of claim.specifics) {
    const occurrences = index.occurrencesOf(specific)
    if (occurrences.length > 0) held += 1
    for (const { unit } of occurrences) add(unit, 2 / (1 + occurrences.length / 20))
  }
  const messages = new Largest(CANDIDATES)
  const summaries = new Largest(CANDIDATES)
  for (const unit of touched) {
    const text = index.textOf(unit)
    const kind = index.texts[text]?.kind === 'summary' ? summaries : messages
    const before = index.textOf(unit - 1) === text ? (coarse[unit - 1] ?? 0) : 0
    const after = index.textOf(unit + 1) === text ? (coarse[unit + 1] ?? 0) : 0
    kind.add(unit, (coarse[unit] as number) + 0.6 * Math.max(before, after))
  }
  const mostAround = isComplete ? boundOf(weighed, index, marks, words, held) : () => HIGHEST_SCORE
  const found = [...messages.units, ...summaries.units].map((unit) => ({ unit, most: mostAround(unit) }))
  for (const unit of touched) {
    coarse[unit] = 0
    for (let word = unit * words; word < (unit + 1) * words; word += 1) marks[word] = 0
  }
  return found
}

/**
 * Returns whether a claim has a term that the list of its units may leave out: a very long word, or what is turned on or
 * off in words that are far from each other.
 */
const mayStandUnlisted = ({ claim, places }: WeighedClaim, { vocabulary }: IndexView): boolean =>
  claim.terms.some(({ start, end }) => end - start > LONGEST_WORD) ||
  SWITCHED.some((key) => (places[vocabulary.termOf(key) ?? -1] ?? -1) >= 0)

/** Returns a score for a unit that no window around it exceeds: that of a passage with all terms of its neighbours. */
function boundOf(
  { claim, weights, total, pairs, places }: WeighedClaim,
  index: IndexView,
  marks: Int32Array,
  words: number,
  held: number,
): (unit: number) => number {
  const around = new Int32Array(words)
  const has = (place: number): boolean => (((around[place >> 5] as number) >> (place & 31)) & 1) === 1
  const isCut = (near: number): boolean => index.endOf(near) - index.startOf(near) >= LONGEST_UNIT - 1
  return (unit) => {
    // A unit of the greatest length may end within a word, of which it is said to have a part then.
    for (let near = unit - WIDEST_WINDOW + 1; near < unit + WIDEST_WINDOW; near += 1)
      if (isCut(near)) return HIGHEST_SCORE
    around.fill(0)
    const end = Math.min(marks.length, (unit + WIDEST_WINDOW) * words)
    for (let at = Math.max(0, unit - WIDEST_WINDOW + 1) * words; at < end; at += 1)
      around[at % words] = (around[at % words] as number) | (marks[at] as number)
    let weight = 0
    for (let place = 0; place < weights.length; place += 1) if (has(place)) weight += weights[place] as number
    const coverage = total > 0 ? weight / total : 0
    let found = 0
    for (const [one, other] of pairs) if (has(places[one] as number) && has(places[other] as number)) found += 1
    const order = pairs.length > 0 ? found / pairs.length : coverage
    return mostScore(claim, coverage, held, Math.max(order, SCORE.leastOrder * coverage))
  }
}

/** The units with the largest values, the largest first. Of two equal ones the earlier one comes first. */
class Largest {
  readonly units: number[] = []
  readonly #values: number[] = []
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(unit: number, value: number): void {
    let at = this.units.length
    if (at === this.#most && value <= (this.#values[at - 1] as number)) return
    while (at > 0 && (this.#values[at - 1] as number) < value) at -= 1
    const end = Math.min(this.units.length, this.#most - 1)
    for (let to = end; to > at; to -= 1) {
      this.units[to] = this.units[to - 1] as number
      this.#values[to] = this.#values[to - 1] as number
    }
    this.units[at] = unit
    this.#values[at] = value
  }
}
