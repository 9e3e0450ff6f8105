import { polarityOf } from './polarity.ts'
import { tokensOf } from './tokens.ts'
import type { Claim, Vocabulary } from './vocabulary.ts'
import { OPPOSITES } from './word-lists.ts'

/** A claim's terms with what each weighs, and what it denies. */
export type WeighedClaim = {
  readonly claim: Claim
  /** By distinct term. */
  readonly weights: ReadonlyMap<number, number>
  readonly total: number
  /** Terms that the claim denies, those that it asserts somewhere, those near which it denies in other words. */
  readonly denied: ReadonlySet<number>
  readonly asserted: ReadonlySet<number>
  readonly soft: ReadonlySet<number>
  /** Terms that follow each other. */
  readonly pairs: readonly (readonly [number, number])[]
  /** A term of the claim, and one that says the contrary. */
  readonly opposites: readonly (readonly [number, number])[]
}

/** Weighs the terms of a claim. The pieces of one path or identifier weigh together what one word does. */
export function weigh(claim: Claim, vocabulary: Vocabulary, weightOf: (term: number) => number): WeighedClaim {
  const weights = new Map<number, number>()
  for (const { term, share } of claim.terms) {
    weights.set(term, Math.max(weights.get(term) ?? 0, weightOf(term) * share))
  }
  let total = 0
  for (const weight of weights.values()) total += weight
  const tokens = tokensOf(claim.text)
  const termAt = new Map(claim.terms.map(({ term, start }) => [start - claim.start, term]))
  const termOf = (place: number): number | undefined => termAt.get(tokens[place]?.start ?? -1)
  const { denied, soft } = polarityOf(claim.text, tokens, (place) => termOf(place) !== undefined)
  const termsAt = (places: Iterable<number>): Set<number> =>
    new Set([...places].flatMap((place) => termOf(place) ?? []))
  return {
    claim,
    weights,
    total,
    denied: termsAt(denied),
    asserted: termsAt(tokens.keys().filter((place) => !denied.has(place))),
    soft: termsAt(soft),
    pairs: claim.terms.slice(1).map(({ term }, place) => [claim.terms[place]?.term ?? -1, term] as const),
    opposites: [...weights.keys()].flatMap((term) =>
      (OPPOSITES.get(vocabulary.keys[term] ?? '') ?? []).flatMap((key) => {
        const other = vocabulary.termOf(key)
        return other === undefined || weights.has(other) ? [] : [[term, other] as const]
      }),
    ),
  }
}
