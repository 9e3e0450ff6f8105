import type { TimeSlice } from '../yielding.ts'
import type { Catalogue } from './catalogue.ts'
import type { Corpus, TextIndex } from './corpus.ts'
import type { Filters } from './filters.ts'
import type { Plan } from './plan.ts'
import { hasRow, NO_ROWS, type RowSet } from './row-set.ts'
import { Verifier } from './verifier.ts'

/** A corpus that a search looks at. */
export type Ground = {
  readonly corpus: Corpus
  /** The index of the corpus among those of the search. */
  readonly order: number
  /** Rows after this one are ignored, because they came after the first page. */
  readonly newestRow: number
  readonly filters: Filters
  /** The index of the corpus, or null when every text is read. */
  readonly index: TextIndex | null
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
  readonly index: TextIndex | null
  readonly isCandidate: (index: number) => boolean
  /** True when filters exclude some of the rows that the index found. */
  readonly isFiltered: boolean
}

export async function prepareSearch(ground: Ground, plan: Plan, slice: TimeSlice): Promise<Searched> {
  const { corpus, order, newestRow, filters, index } = ground
  await slice.yieldIfOver()
  const { rows, certain } = index ? plan.candidates(index, corpus.kind) : { rows: null, certain: NO_ROWS }
  const isFew = rows !== null && rows.length <= FEW && !plan.needsNeighbours
  const catalogue = corpus.known ?? (isFew ? corpus.excerpt([...rows]) : await corpus.catalogue(slice))
  const indexes = rows === null ? catalogue.all : catalogue.indexesOf(rows)
  const isNew = (index: number): boolean => (catalogue.rows[index] as number) > newestRow
  const hasNew = indexes.length > 0 && isNew(indexes.at(-1) as number)
  const old = hasNew ? indexes.subarray(0, indexes.findIndex(isNew)) : indexes
  const allows = filters.allows(corpus.kind, catalogue)
  const candidates = allows ? old.filter(allows) : old
  return {
    corpus,
    order,
    catalogue,
    newestRow,
    candidates,
    isFiltered: candidates.length < indexes.length,
    isCertain: rows !== null && certain.length === rows.length,
    isCertainOf: certaintyOf(rows, certain, catalogue),
    isCandidate: membershipIn(candidates, catalogue.length),
    plan,
    verifier: new Verifier(corpus, catalogue, plan, index !== null, slice),
    isScan: rows === null,
    index,
  }
}

function certaintyOf(rows: RowSet, certain: Float64Array, catalogue: Catalogue): (index: number) => boolean {
  if (certain.length === 0) return () => false
  if (certain.length === rows?.length) return () => true
  return (index) => hasRow(certain, catalogue.rows[index] as number)
}

/** The list is looked up only when somebody asks. */
function membershipIn(indexes: Int32Array, length: number): (index: number) => boolean {
  let members: Uint8Array | undefined
  return (index) => {
    if (members === undefined) {
      members = new Uint8Array(length)
      for (let at = 0; at < indexes.length; at += 1) members[indexes[at] as number] = 1
    }
    return members[index] === 1
  }
}
