import type { TimeKey } from '../indexes/catalogue.ts'
import type { Searched } from '../planning/search.ts'
import type { ScoreParts } from './ranking.ts'

/** A hit by the corpus in which it was found and its index in the catalogue. */
export type Placed = { readonly searched: Searched; readonly index: number }

/** The hits of a search in the order that was asked for. They are found step by step. */
export interface HitOrder {
  /** The hits of the page in order, as far as they are certain. */
  readonly page: readonly Placed[]
  /** True when the page will not change: it is full, or no candidate is left. */
  readonly isPageDone: boolean
  /** True when every candidate was looked at. */
  readonly isDone: boolean
  /**
   * How many hits were found so far, whether or not they are on the page. `countsAll` says from where they are counted.
   */
  readonly found: number
  /** True when `found` counts all hits; otherwise it counts those after the beginning of the page. */
  readonly countsAll: boolean
  /** How many texts were looked at, and how many there are to look at. */
  readonly scanned: number
  readonly rows: number
  /** True when counting the remaining hits would take much longer than the page did. */
  readonly isCountingLong?: boolean
  /** Ascends with every step, so that a search ends whatever its data are. */
  readonly progress: number
  /** Looks at some more candidates, for about 10 ms. Call `stepOf`, which makes sure that the search gets further. */
  step(): Promise<void>
  /** Returns why a hit ranks where it does, where that is known. */
  partsOf?(hit: Placed): ScoreParts | undefined
}

/**
 * Takes a search a step further.
 * @throws Error when the step did nothing although something is left: the search would never end
 */
export async function stepOf(order: HitOrder): Promise<void> {
  const before = order.progress
  await order.step()
  if (order.progress <= before && !order.isDone) throw new Error('A search made a step and came no further.')
}

/** Returns the sort key of a hit in the order of time. */
export const timeKeyOf = ({ searched, index }: Placed): TimeKey => ({
  time: searched.catalogue.times[index] as number,
  corpus: searched.order,
  row: searched.catalogue.rows[index] as number,
})

export const rowOf = ({ searched, index }: Placed): number => searched.catalogue.rows[index] as number
