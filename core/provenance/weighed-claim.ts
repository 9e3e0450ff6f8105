import { polarityOf } from './polarity.ts'
import { tokensOf } from './tokens.ts'
import type { Claim, Vocabulary } from './vocabulary.ts'
import { alikeTo, oppositesOf } from './word-lists.ts'

/** A claim's terms with their weights, and what the claim denies. */
export type WeighedClaim = {
  readonly claim: Claim
  /** The weight of each distinct term. */
  readonly weights: ReadonlyMap<number, number>
  readonly total: number
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

/** The part of a weighed claim that is the same for all texts it is compared with. */
type Said = Omit<WeighedClaim, 'claim' | 'weights' | 'total'>

/** The last claim of each vocabulary. A claim is compared with several indexes before the next claim is. */
const lastSaid = new WeakMap<Vocabulary, { readonly claim: Claim; readonly said: Said }>()

/** Weighs the terms of a claim. The pieces of one path or identifier together weigh as much as one word. */
export function weigh(claim: Claim, vocabulary: Vocabulary, weightOf: (term: number) => number): WeighedClaim {
  const weights = new Map<number, number>()
  for (const { term, share } of claim.terms) {
    weights.set(term, Math.max(weights.get(term) ?? 0, weightOf(term) * share))
  }
  let total = 0
  for (const weight of weights.values()) total += weight
  const known = lastSaid.get(vocabulary)
  const said = known?.claim === claim ? known.said : saidBy(claim, vocabulary)
  if (known?.claim !== claim) lastSaid.set(vocabulary, { claim, said })
  return { claim, weights, total, ...said }
}

function saidBy(claim: Claim, vocabulary: Vocabulary): Said {
  const tokens = tokensOf(claim.text)
  const own = new Set(claim.terms.map(({ term }) => term))
  const termAt = new Map(claim.terms.map(({ term, start }) => [start - claim.start, term]))
  const termOf = (place: number): number | undefined => termAt.get(tokens[place]?.start ?? -1)
  const { denied, scopes, soft } = polarityOf(claim.text, tokens, (place) => termOf(place) !== undefined)
  const termsAt = (places: Iterable<number>): Set<number> =>
    new Set([...places].flatMap((place) => termOf(place) ?? []))
  return {
    denied: termsAt(denied),
    scopes: scopes.map((scope) => [...termsAt(scope)]),
    asserted: termsAt(tokens.keys().filter((place) => !denied.has(place))),
    soft: termsAt(soft),
    pairs: claim.terms.slice(1).map(({ term }, place) => [claim.terms[place]?.term ?? -1, term] as const),
    turnable: claim.terms.flatMap(({ term }, place): Turnable[] => {
      const known = (keys: readonly string[]): number[] => keys.flatMap((key) => vocabulary.termOf(key) ?? [])
      const key = vocabulary.keys[term] ?? ''
      const contrary = known(oppositesOf(key))
      // A claim that contains both ("added … and removed …") is about two things.
      if (contrary.length === 0 || contrary.some((other) => own.has(other))) return []
      const near = claim.terms.slice(Math.max(0, place - AROUND), place + AROUND + 1).map((other) => other.term)
      const around = new Set(near.filter((other) => other !== term))
      return [{ term, alike: known(alikeTo(key)), contrary, around }]
    }),
  }
}
