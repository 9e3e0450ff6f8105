import type { TimeSlice } from '../yielding.ts'
import type { Catalogue } from './catalogue.ts'
import type { Corpus } from './corpus.ts'
import type { Filters } from './filters.ts'
import type { Plan } from './plan.ts'
import { hasRow, NO_ROWS } from './row-set.ts'
import type { TermLookup, TermRows } from './term-rows.ts'
import { Verifier } from './verifier.ts'

/** A corpus that a search looks at. */
export type Ground = {
  readonly corpus: Corpus
  /** The index of the corpus among those of the search. */
  readonly order: number
  /** Rows after this one are ignored, because they came after the first page. */
  readonly newestRow: number
  readonly filters: Filters
  /** The terms in the index, or null when every text is read. */
  readonly terms: TermLookup | null
}

/** Up to this many candidates are looked up one by one when the catalogue of all rows would have to be read first. */
const FEW = 2000

/** What a plan makes of a corpus before any text is read. */
export type Searched = {
  readonly corpus: Corpus
  readonly order: number
  readonly catalogue: Catalogue
  readonly newestRow: number
  /** The indexes of the candidates, ascending. */
  readonly candidates: Int32Array
  /** True when all of them are hits. */
  readonly isCertain: boolean
  /** Whether one of them is a hit for certain. */
  readonly isCertainOf: (index: number) => boolean
  readonly plan: Plan
  readonly verifier: Verifier
  /** True when no index narrows the candidates down, so that every text is read. */
  readonly isScan: boolean
  /** The rows of each term of the matcher, or null when there is no index. */
  readonly scored: readonly TermRows[] | null
}

/** @param isRanked whether relevance will be asked for */
export async function prepareSearch(
  ground: Ground,
  plan: Plan,
  isRanked: boolean,
  slice: TimeSlice,
): Promise<Searched> {
  const { corpus, order, newestRow, filters, terms } = ground
  await slice.yieldIfOver()
  const found = terms ? plan.candidates(terms) : { rows: null, certain: NO_ROWS }
  const { rows, certain } = found
  const isFew = rows !== null && rows.length <= FEW && !isRanked
  const catalogue = corpus.known ?? (isFew ? corpus.excerpt([...rows]) : await corpus.catalogue(slice))
  const indexes = rows === null ? catalogue.all : catalogue.indexesOf(rows)
  const isNew = (index: number): boolean => (catalogue.rows[index] as number) > newestRow
  const hasNew = indexes.length > 0 && isNew(indexes.at(-1) as number)
  const old = hasNew ? indexes.subarray(0, indexes.findIndex(isNew)) : indexes
  const allows = filters.allows(corpus.kind, catalogue)
  return {
    corpus,
    order,
    catalogue,
    newestRow,
    candidates: allows ? old.filter(allows) : old,
    isCertain: rows !== null && certain.length === rows.length,
    isCertainOf: certain.length === 0 ? () => false : (index) => hasRow(certain, catalogue.rows[index] as number),
    plan,
    verifier: new Verifier(corpus, catalogue, plan, terms !== null, slice),
    isScan: rows === null,
    scored: terms && isRanked ? plan.scored(terms, found) : null,
  }
}
