// Why it is so: docs/decisions/0029-trace-probe-and-comparison.md

import type { DetailFate } from '../contract/loss.ts'
import type { FactState, TracedFate } from '../contract/trace.ts'
import { Comparison, isAlikeKind, isShortNumber, NUMBERS, namedInstead, termsBeside } from '../provenance/comparison.ts'
import { IndexView } from '../provenance/index-view.ts'
import type { Occurrence } from '../provenance/passages.ts'
import type { Scorer } from '../provenance/scoring.ts'
import type { Specific } from '../provenance/specifics.ts'
import type { TextIndex } from '../provenance/text-index.ts'
import { FATE, THRESHOLDS } from '../provenance/thresholds.ts'
import type { Claim } from '../provenance/vocabulary.ts'
import type { Candidate } from '../provenance/window-comparison.ts'
import type { Detail, Details, Sentence } from './details.ts'
import { isBeside, type Neighbours, neighboursIn, neighboursInClaim, neighboursOf } from './neighbours.ts'

/** What became of one detail in the texts that it was compared with. */
export type Fate = {
  readonly fate: DetailFate
  /** What stands in its place. */
  readonly instead: string | null
  /** Where it stands: the index of the text, and the range in it. */
  readonly at: { readonly text: number; readonly start: number; readonly end: number } | null
}

/** At most this many places of a number are looked at. */
const MOST_PLACES = 100

/** At most this many places of a value are looked at for a denial. */
const MOST_TURNED = 20

/** At most this many passages that say a sentence are looked for. */
const MOST_HOLDERS = 5

/** Returns the range of a passage from the first word of a sentence in it to the last. */
const wordsIn = ({ matches, start, end }: Candidate): { readonly start: number; readonly end: number } =>
  matches.length === 0
    ? { start, end }
    : { start: Math.min(...matches.map((word) => word.start)), end: Math.max(...matches.map((word) => word.end)) }

const DROPPED: Fate = { fate: 'dropped', instead: null, at: null }

/**
 * Compares details with the texts of one node, or of a window. It is the comparison of provenance in the other
 * direction: the sentences of a message are the claims, and what was made from the message is searched for them.
 */
export class FateFinder {
  readonly #comparison: Comparison
  readonly #isSaidBySources: (text: string, beside: readonly string[]) => boolean

  /**
   * @param index the texts with which the details are compared
   * @param isSaidBySources tells whether a value that stands in place of another comes from another source of the node.
   * Then the first one was left out and not changed.
   */
  constructor(
    details: Details,
    index: TextIndex,
    isSaidBySources: (text: string, beside: readonly string[]) => boolean = () => false,
  ) {
    this.#comparison = new Comparison(new IndexView(details.vocabulary, index))
    this.#isSaidBySources = isSaidBySources
  }

  get #index(): IndexView {
    return this.#comparison.index
  }

  get #scorer(): Scorer {
    return this.#comparison.scorer
  }

  /** Returns what became of each detail of a sentence in all texts that were added. */
  fatesOf({ claim, details }: Sentence): Fate[] {
    if (!this.#mayStand(claim)) return details.map(() => DROPPED)
    const isWhole = details.some(({ specific }) => specific === null)
    const places = details.map(({ specific }) => (specific === null ? undefined : this.#placeOf(claim, specific)))
    const isAnywhere = places.some((place) => place !== undefined)
    const mayBeTurned = (isWhole || isAnywhere) && this.#mayBeTurned(claim, details)
    const isCompared = isWhole || mayBeTurned || (places.includes(undefined) && this.#mayHaveOther(claim))
    const nearest = isCompared ? this.#scorer.nearest(claim) : null
    const isTurned = nearest !== null && mayBeTurned && this.#isTurned(claim, nearest)
    const specifics = details.map(({ specific }, index) =>
      specific === null ? null : this.#fateOfSpecific(claim, specific, places[index], nearest, isTurned),
    )
    const isChanged = specifics.some((fate) => fate?.fate === 'changed')
    return specifics.map((fate) => fate ?? this.#fateOfWhole(claim, nearest, isTurned, isChanged))
  }

  /** Returns the passage that comes nearest to a sentence, or null when too few of its words stand anywhere. */
  nearestTo({ claim }: Sentence): Candidate | null {
    return this.#mayStand(claim) ? this.#scorer.nearest(claim) : null
  }

  /**
   * Returns for each detail of a sentence whether it is kept, without a look at what stands in place of the others.
   * @param already which details are kept somewhere else: they are not looked for again
   */
  keptOf(sentence: Sentence, already: readonly boolean[] = []): boolean[] {
    const { claim, details } = sentence
    if (details.some(({ specific }) => specific === null))
      return this.fatesOf(sentence).map(({ fate }, detail) => already[detail] === true || fate === 'kept')
    const isThere = details.map(
      ({ specific }, detail) =>
        already[detail] !== true && specific !== null && this.#placeOf(claim, specific) !== undefined,
    )
    const isKept = isThere.includes(true) && !(this.#mayBeTurned(claim, details) && this.#isTurnedSomewhere(claim))
    return isThere.map((one, detail) => already[detail] === true || (one && isKept))
  }

  #isTurnedSomewhere(claim: Claim): boolean {
    const nearest = this.#scorer.nearest(claim)
    return nearest !== null && this.#isTurned(claim, nearest)
  }

  /**
   * Returns whether a closer look may find that a passage denies or reverses a sentence. A sentence of which only the
   * values matter is looked at when a line with one of them, or the sentence itself, has a sign of that.
   */
  #mayBeTurned(claim: Claim, details: readonly Detail[]): boolean {
    if (details.some(({ specific }) => specific === null) || this.#scorer.mayTurn(claim)) return true
    return claim.specifics.some((specific) =>
      this.#index
        .occurrencesOf(specific)
        .some(({ unit }, place) => place < MOST_TURNED && this.#scorer.deniesOf(claim, unit)),
    )
  }

  /** Returns whether a passage denies what a sentence says, or has two things of it the other way round. */
  #isTurned(claim: Claim, passage: Candidate): boolean {
    const isSwapped = this.#comparison.swappedIn(claim, passage) !== null
    if (!isSwapped && passage.flip === null) return false
    if (passage.coverage >= (isSwapped ? FATE.swapped : FATE.denied)) return true
    return this.#shorterForm(claim, passage) >= FATE.shorterForm
  }

  /** Returns the indexes of all texts in which details of a sentence stand, with the number of them. */
  holders({ claim, details }: Sentence): ReadonlyMap<number, number> {
    const held = new Map<number, Set<Detail>>()
    const note = (text: number, detail: Detail): void => {
      held.set(text, (held.get(text) ?? new Set()).add(detail))
    }
    for (const detail of details) {
      if (detail.specific === null) {
        for (const passage of this.#scorer.candidates(claim, MOST_HOLDERS))
          if (this.#fateOfWhole(claim, passage, this.#isTurned(claim, passage), false).fate === 'kept')
            note(passage.text, detail)
        continue
      }
      const sought = this.#comparison.specific(detail.specific)
      const own = neighboursInClaim(claim, sought, this.#index.vocabulary.keys)
      for (const place of this.#index.occurrencesOf(detail.specific))
        if (isDistinctive(sought) || this.#isSameMatter(claim, sought, own, place)) note(place.text, detail)
    }
    return new Map(Array.from(held, ([text, kept]) => [text, kept.size]))
  }

  /** A sentence of which too few words stand anywhere needs no closer look. */
  #mayStand({ terms, specifics }: Claim): boolean {
    if (specifics.some((specific) => this.#index.occurrencesOf(specific).length > 0)) return true
    let [held, total] = [0, 0]
    for (const { term, share } of terms) {
      const weight = this.#scorer.weightOf(term) * share
      total += weight
      if (this.#index.frequencyOf(term) > 0) held += weight
    }
    return total > 0 && held / total >= FATE.leastTrace
  }

  /**
   * Returns false when no passage has enough of the other specifics of a sentence to have something in the place of one:
   * see `#instead`.
   */
  #mayHaveOther({ specifics }: Claim): boolean {
    const held = specifics.filter((specific) => this.#index.occurrencesOf(specific).length > 0).length
    return held * 2 >= specifics.length - 1
  }

  /** @param place where it stands for the same as in the sentence */
  #fateOfSpecific(
    claim: Claim,
    specific: number,
    place: Occurrence | undefined,
    nearest: Candidate | null,
    isTurned: boolean,
  ): Fate {
    const sought = this.#comparison.specific(specific)
    // What is said of a value counts as much as the value.
    if (place && nearest && isTurned) return this.#turned(nearest)
    if (place) return { fate: 'kept', instead: null, at: { text: place.text, start: place.start, end: place.end } }
    const other = nearest && this.#instead(claim, sought, nearest)
    return other === null || this.#isSaidBySources(other, this.#besideOf(claim, sought))
      ? { ...DROPPED, instead: other }
      : { fate: 'changed', instead: other, at: null }
  }

  /** Returns the words before and after a specific in its sentence, as they are compared. */
  #besideOf(claim: Claim, sought: Specific): string[] {
    const { before, after } = neighboursInClaim(claim, sought, this.#index.vocabulary.keys)
    return [before, after].filter((word) => word !== null)
  }

  /** Returns a place where a specific stands for the same as in the sentence. */
  #placeOf(claim: Claim, specific: number): Occurrence | undefined {
    const sought = this.#comparison.specific(specific)
    const all = this.#index.occurrencesOf(specific)
    if (all.length === 0 || isDistinctive(sought)) return all[0]
    const own = neighboursInClaim(claim, sought, this.#index.vocabulary.keys)
    for (let place = 0; place < all.length && place < MOST_PLACES; place += 1) {
      const one = all[place] as Occurrence
      if (this.#isSameMatter(claim, sought, own, one)) return one
    }
    return undefined
  }

  #turned(passage: Candidate): Fate {
    const { text, start, end } = passage
    return { fate: 'changed', instead: withoutMark(this.#comparison.textOf(passage)), at: { text, start, end } }
  }

  #fateOfWhole(claim: Claim, nearest: Candidate | null, isTurned: boolean, isChanged: boolean): Fate {
    if (nearest === null) return DROPPED
    if (isTurned) return this.#turned(nearest)
    const mayBeTurned = nearest.flip !== null
    const isShorter = this.#shorterForm(claim, nearest) >= FATE.shorterForm
    if (!mayBeTurned && (nearest.score >= THRESHOLDS.supported || isShorter)) {
      const at = { text: nearest.text, ...wordsIn(nearest) }
      return isChanged ? this.#turned(nearest) : { fate: 'kept', instead: null, at }
    }
    // Few of its words may be what is left of it in other words, if they stand together.
    const words = new Set(nearest.matches.map(({ term }) => term)).size
    const isLikely = nearest.score >= THRESHOLDS.weak || (words >= 2 && nearest.coverage >= FATE.leastTrace)
    return isLikely ? { fate: 'unknown', instead: null, at: null } : DROPPED
  }

  /** Returns which share of the passage's own words the sentence has, or 0 when they are too few to tell. */
  #shorterForm(claim: Claim, passage: Candidate): number {
    const { words } = this.#comparison.passage(passage)
    const { keys } = this.#index.vocabulary
    const own = new Set(claim.terms.map(({ term }) => keys[term] ?? ''))
    const shared = words.intersection(own).size
    return shared < 3 ? 0 : shared / words.size
  }

  /** Returns whether the words around an occurrence are those around the number in the sentence. */
  #isSameMatter(claim: Claim, specific: Specific, own: Neighbours, place: Occurrence): boolean {
    if (isBeside(own, neighboursOf(place, this.#index.texts[place.text]?.text ?? ''))) return true
    return this.#comparison.shareAround(claim, specific, place) >= FATE.sameMatter
  }

  /**
   * Returns what the passage has in the place of a specific: another one of its kind after or before the same word,
   * which the sentence itself does not say.
   */
  #instead(claim: Claim, sought: Specific, passage: Candidate): string | null {
    // A passage with other names is about something else.
    const beside = claim.specifics.filter((specific) => this.#comparison.specific(specific) !== sought)
    const shared = beside.filter((specific) => passage.specifics.has(specific)).length
    if (shared * 2 < beside.length) return null
    const words = termsBeside(claim, sought)
    const held = new Set(passage.matches.map(({ term }) => term))
    const besides = words.size === 0 ? 0 : words.intersection(held).size / words.size
    if (besides < (NUMBERS.has(sought.kind) ? FATE.besideNumber : FATE.besideName)) return null
    const own = neighboursInClaim(claim, sought, this.#index.vocabulary.keys)
    const said = this.#comparison.passage(passage)
    const others = this.#comparison.othersIn(claim, sought, passage, isSameKind)
    const other =
      others.find((one) => isBeside(own, neighboursIn(said, one.start, one.end))) ??
      // A passage that says everything else has one other value: that is the same thing, in another order of words.
      (besides >= FATE.saysTheRest && others.length === 1 ? others[0] : undefined)
    return other ? namedInstead(other, sought) : null
  }
}

/**
 * A name, or a number so long that it hardly stands anywhere by chance, is the same wherever it stands. A day of the
 * week, a month or a usual abbreviation is not.
 */
const isDistinctive = (specific: Specific): boolean =>
  !isShortNumber(specific) && (NUMBERS.has(specific.kind) || !USUAL_NAMES.has(specific.key))

const USUAL_NAMES: ReadonlySet<string> = new Set(
  `monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
  october november december kb mb gb tb ms api url json http https sql cpu ram ci db ui ok`.split(/\s+/),
)

/** Returns a line of a list without its mark. */
const withoutMark = (line: string): string => line.trim().replace(/^(?:[-*•] )+/, '')

/** A time never stands in place of a count. */
const isSameKind = (a: Specific['kind'], b: Specific['kind']): boolean => (NUMBERS.has(a) ? a === b : isAlikeKind(a, b))

/** Returns the state of several details together. */
export function stateOf(fates: readonly TracedFate[]): FactState {
  const has = (fate: TracedFate): boolean => fates.includes(fate)
  if (fates.length === 0) return 'unknown'
  if (has('changed')) return 'changed'
  if (fates.every((fate) => fate === 'kept')) return 'kept'
  if (has('kept')) return 'partly'
  if (has('left_out')) return 'left_out'
  return has('unknown') ? 'unknown' : 'dropped'
}
