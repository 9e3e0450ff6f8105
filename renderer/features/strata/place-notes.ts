import type { Note } from '../../../core/contract/notes.ts'
import type { Strata } from '../../../core/contract/strata.ts'
import type { Buckets } from './buckets.ts'
import { rangeOfNode } from './place-findings.ts'
import type { SummaryIndex } from './summary-index.ts'

/** A pinned or noted node with its position in the drawing. */
export type PlacedNote = {
  readonly x0: number
  readonly x1: number
  /** The index of the summary in the columns, or null for a message. */
  readonly entry: number | null
}

/** Returns what is pinned or noted in this conversation, from left to right. */
export function placeNotes(
  notes: Iterable<Pick<Note, 'id'>>,
  strata: Strata,
  index: SummaryIndex,
  buckets: readonly (Buckets | null)[],
): PlacedNote[] {
  return [...notes].flatMap(({ id }) => rangeOfNode(id, strata, index, buckets) ?? []).sort((a, b) => a.x0 - b.x0)
}
