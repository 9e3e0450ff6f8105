import { firstAtLeast } from '../binary-search.ts'
import type { Searched } from './search.ts'

/*
 * Okapi BM25 as FTS5 counts it, with its constants. https://www.sqlite.org/fts5.html#the_bm25_function
 * The length of a text is its tokens as the file keeps them. Phrases, and what is looked for by its letters, count once.
 */
const K1 = 1.2
const B = 0.75

/** Returns how informative a term is that `holding` of all rows contain. */
export const rarity = (rows: number, holding: number): number =>
  Math.max(1e-6, Math.log((rows - holding + 0.5) / (holding + 0.5)))

/** Returns the summand in the denominator beside the count of a term. It is larger for longer texts. */
export const damping = (tokens: number, averageTokens: number): number =>
  K1 * (1 - B + (B * tokens) / Math.max(1, averageTokens))

export const termScore = (idf: number, count: number, damped: number): number =>
  (idf * count * (K1 + 1)) / (count + damped)

/** The candidate is a hit, and its score is known without its text. */
export const CERTAIN = 0
/** The candidate is a hit, but its score may be lower. */
const SCORE_DOUBTFUL = 1
/** The candidate may be no hit. */
export const DOUBTFUL = 2

export type UpperScores = {
  /** By candidate: an upper bound of its score. */
  readonly scores: Float64Array
  readonly doubts: Uint8Array
  /**
   * Returns what a term adds to the upper bound of a candidate if the candidate contains it once; 0 when the term
   * certainly counts.
   */
  optional(term: number, candidate: number): number
}

/** Returns the scores that the candidates of a corpus would have if each term stood wherever it may stand. */
export function upperScores(searched: Searched): UpperScores {
  const { candidates, catalogue, newestRow, plan, isCertain, isCertainOf } = searched
  const scored = searched.scored ?? []
  const total = firstAtLeast(catalogue.rows, newestRow + 1)
  const average = catalogue.averageTokens(newestRow)
  const damped = new Float64Array(candidates.length)
  for (let candidate = 0; candidate < damped.length; candidate += 1) {
    damped[candidate] = damping(catalogue.tokens[candidates[candidate] as number] as number, average)
  }
  const scores = new Float64Array(candidates.length)
  const doubts = new Uint8Array(candidates.length)
  const idfs = scored.map(({ rows }) => rarity(total, rows === null ? total : firstAtLeast(rows, newestRow + 1)))
  scored.forEach(({ rows, counts, isCertain }, term) => {
    const idf = idfs[term] ?? 0
    const isOptional = plan.hasOptional && !isCertain
    const add = (candidate: number, count: number): void => {
      scores[candidate] = (scores[candidate] as number) + termScore(idf, count, damped[candidate] as number)
      if (isOptional) doubts[candidate] = SCORE_DOUBTFUL
    }
    if (rows === null) {
      for (let candidate = 0; candidate < candidates.length; candidate += 1) add(candidate, 1)
      return
    }
    let at = 0
    for (let candidate = 0; candidate < candidates.length; candidate += 1) {
      const row = catalogue.rows[candidates[candidate] as number] as number
      while (at < rows.length && (rows[at] as number) < row) at += 1
      if (rows[at] === row) add(candidate, counts === null ? 1 : (counts[at] as number))
    }
  })
  if (!isCertain) {
    for (let candidate = 0; candidate < candidates.length; candidate += 1) {
      if (!isCertainOf(candidates[candidate] as number)) doubts[candidate] = DOUBTFUL
    }
  }
  const optional = (term: number, candidate: number): number =>
    scored[term]?.isCertain === false && plan.hasOptional
      ? termScore(idfs[term] ?? 0, 1, damped[candidate] as number)
      : 0
  return { scores, doubts, optional }
}
