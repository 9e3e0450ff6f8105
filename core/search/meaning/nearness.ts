import type { Corpus } from '../indexes/corpus.ts'

/** What a search by vectors finds for a question. What its words find is searched for apart from it. */
export type Nearness = {
  /**
   * The nearest rows of each corpus and how near they are: 1 for the nearest of all, 0 for the farthest of those that
   * were found. Rows that no longer have the text from which their vector was made are not among them.
   */
  readonly rows: Readonly<Record<Corpus['kind'], ReadonlyMap<number, number>>>
  /** What an answer says of it. */
  readonly note: string
}

export const NOTHING_NEAR: Nearness['rows'] = { message: new Map(), summary: new Map() }

/** Sets the nearest of all rows to 1 and the farthest to 0: models differ in the range of their cosines. */
export function nearnessOf(cosines: Readonly<Record<Corpus['kind'], ReadonlyMap<number, number>>>): Nearness['rows'] {
  const all = [...cosines.message.values(), ...cosines.summary.values()]
  const [most, least] = [Math.max(...all), Math.min(...all)]
  const near = (some: ReadonlyMap<number, number>): ReadonlyMap<number, number> =>
    new Map(Array.from(some, ([row, cosine]) => [row, most === least ? 1 : (cosine - least) / (most - least)]))
  return { message: near(cosines.message), summary: near(cosines.summary) }
}
