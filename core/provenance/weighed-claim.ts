import { once } from '../keeping.ts'
import { polarityOf } from './polarity.ts'
import { type Relation, relationsOf } from './relations.ts'
import type { Claim, Vocabulary } from './vocabulary.ts'
import { alikeTo, oppositesOf } from './word-lists.ts'

/** What a claim says and denies, whatever it is compared with. */
export type ReadClaim = {
  /** The terms of the claim, each once. The place of a term among them is its place in the claim. */
  readonly terms: readonly number[]
  /** The largest share of each term, by its place. */
  readonly shares: readonly number[]
  /**
   * The terms that the claim denies, those that it asserts somewhere, and those near a word that denies without a
   * negation.
   */
  readonly denied: ReadonlySet<number>
  /** For each negation of the claim the terms that it denies, the nearest first. */
  readonly scopes: readonly (readonly number[])[]
  readonly asserted: ReadonlySet<number>
  readonly soft: ReadonlySet<number>
  /** The pairs of terms that follow each other. */
  readonly pairs: readonly (readonly [number, number])[]
  /** The terms of the claim that have opposites. */
  readonly turnable: readonly Turnable[]
  /** The orders of two things that it states. */
  readonly relations: () => readonly Relation[]
}

/** A claim whose terms have weights. */
export type WeighedClaim = ReadClaim & {
  readonly claim: Claim
  /** The weight of each term, by its place. */
  readonly weights: Float64Array
  readonly total: number
  /** The place in the claim of each term of the vocabulary, −1 for none. */
  readonly places: Int32Array
}

/** A term, the terms with the same meaning, its opposites, and the claim's words around it. */
type Turnable = {
  readonly term: number
  readonly alike: readonly number[]
  readonly contrary: readonly number[]
  readonly around: ReadonlySet<number>
}

/** How many words on each side show what a verb refers to. */
const AROUND = 3

/** The last claim of each vocabulary. A claim is compared with several indexes before the next claim is. */
const lastRead = new WeakMap<Vocabulary, { readonly claim: Claim; readonly read: ReadClaim }>()

/** Returns what a claim says and denies. */
export function readClaim(claim: Claim, vocabulary: Vocabulary): ReadClaim {
  const last = lastRead.get(vocabulary)
  if (last?.claim === claim) return last.read
  const read = readAnew(claim, vocabulary)
  lastRead.set(vocabulary, { claim, read })
  return read
}

function readAnew(claim: Claim, vocabulary: Vocabulary): ReadClaim {
  const { tokens } = claim
  // The pieces of one path or identifier together weigh as much as one word.
  const shares = new Map<number, number>()
  for (const { term, share } of claim.terms) shares.set(term, Math.max(shares.get(term) ?? 0, share))
  const termsByStart = once(() => new Map(claim.terms.map(({ term, start }) => [start - claim.start, term])))
  const termOf = (place: number): number | undefined => termsByStart().get(tokens[place]?.start ?? -1)
  const { denied, scopes, soft } = polarityOf(claim.text, tokens, (place) => termOf(place) !== undefined)
  const termsAt = (places: Iterable<number>): Set<number> => {
    const terms = new Set<number>()
    for (const place of places) {
      const term = termOf(place)
      if (term !== undefined) terms.add(term)
    }
    return terms
  }
  const pairs: (readonly [number, number])[] = []
  for (let place = 1; place < claim.terms.length; place += 1)
    pairs.push([claim.terms[place - 1]?.term ?? -1, claim.terms[place]?.term ?? -1])
  const all = [...shares.keys()]
  return {
    terms: all,
    shares: [...shares.values()],
    denied: denied.size === 0 ? NO_TERMS : termsAt(denied),
    scopes: scopes.map((scope) => [...termsAt(scope)]),
    asserted: denied.size === 0 ? new Set(all) : termsAt(tokens.keys().filter((place) => !denied.has(place))),
    soft: soft.size === 0 ? NO_TERMS : termsAt(soft),
    pairs,
    turnable: turnableIn(claim, vocabulary, shares),
    relations: once(() => relationsOf(claim.text)),
  }
}

export const NO_TERMS: ReadonlySet<number> = new Set()

function turnableIn(claim: Claim, vocabulary: Vocabulary, own: ReadonlyMap<number, number>): Turnable[] {
  const found: Turnable[] = []
  const termsOf = (keys: readonly string[]): number[] => keys.flatMap((key) => vocabulary.termOf(key) ?? [])
  for (let place = 0; place < claim.terms.length; place += 1) {
    const term = claim.terms[place]?.term ?? -1
    const key = vocabulary.keys[term] ?? ''
    const opposites = oppositesOf(key)
    if (opposites.length === 0) continue
    const contrary = termsOf(opposites)
    // A claim that contains both ("added … and removed …") is about two things.
    if (contrary.length === 0 || contrary.some((other) => own.has(other))) continue
    const near = claim.terms.slice(Math.max(0, place - AROUND), place + AROUND + 1).map((other) => other.term)
    const around = new Set(near.filter((other) => other !== term))
    found.push({ term, alike: termsOf(alikeTo(key)), contrary, around })
  }
  return found
}
