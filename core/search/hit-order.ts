import type { TimePlace } from './catalogue.ts'
import type { Searched } from './search.ts'

/** A hit by where it was found and its index there. */
export type Placed = { readonly searched: Searched; readonly index: number }

/** The hits of a search in the order that was asked for, found step by step. */
export interface HitOrder {
  /** Hits of the page, in order: those that it is certain of so far. */
  readonly page: readonly Placed[]
  /** The page will not change: it is full, or nothing is left. */
  readonly isPageDone: boolean
  /** Every candidate was looked at. */
  readonly isDone: boolean
  /** Hits so far, on the page or not; `countsAll` says of which. */
  readonly found: number
  /** `found` counts all hits; otherwise those after the place where the page begins. */
  readonly countsAll: boolean
  /** Texts looked at, and to look at. */
  readonly scanned: number
  readonly rows: number
  /** Looks at some more candidates: some 10 ms. */
  step(): Promise<void>
  /** Where the next page begins: after this hit. */
  placeOf(hit: Placed): HitPlace
}

/** Where a hit stands; `score` is 0 in the order of time. */
export type HitPlace = TimePlace & { readonly score: number }

export const timePlaceOf = ({ searched, index }: Placed): TimePlace => ({
  time: searched.catalogue.times[index] as number,
  corpus: searched.order,
  row: searched.catalogue.rows[index] as number,
})
