import type { Searched } from '../planning/search.ts'

/** Why a hit of a question ranks where it does: the summands of its score. */
export type ScoreParts = {
  /** By its own words. */
  readonly words: number
  /** By what it says, where a model has compared that with the question. */
  readonly meaning?: number
  /** By the words of its neighbours in the conversation. */
  readonly neighbours: number
  /** By the words of the summary that covers it. */
  readonly summary: number
  /** True when it has all words of the question. Such hits come first. */
  readonly hasAll: boolean
}

/** Candidates of a corpus with their scores, in no order. */
export type Ranked = {
  /** The scores by index of the catalogue. */
  readonly scores: ReadonlyMap<number, number>
  /** No candidate that is missing has a higher score than this. Null when none is missing. */
  readonly floor: number | null
  readonly partsOf?: (index: number) => ScoreParts
}

/** Ranks the candidates of a corpus, at least the best of so many rows. */
export type Rank = (searched: Searched, limit: number) => Ranked

export const NO_LIMIT = -1

/** Ranks candidates by `bm25()`. What has none of the words has no score. */
export const rankByWords: Rank = (searched, limit) => {
  const { index, plan, catalogue, isCandidate } = searched
  if (!index || plan.ranking === null) return { scores: new Map(), floor: null }
  const { rows, scores } = index.best(plan.ranking, limit, searched.fewRanked)
  const found = new Map<number, number>()
  rows.forEach((row, at) => {
    const place = catalogue.indexOf(row)
    if (isCandidate(place)) found.set(place, scores[at] as number)
  })
  return { scores: found, floor: rows.length === limit ? (scores.at(-1) as number) : null }
}
