import type { GrepHit } from '#core/contract/retrieval.ts'
import type { Above } from '#core/systems/reading/covers.ts'
import type { TimeSlice } from '#core/yielding.ts'
import type { Fields } from '../query/matcher.ts'
import type { Catalogue } from './catalogue.ts'

/** What a list shows of a hit, without its snippet. */
export type HitRow = Omit<GrepHit, 'field' | 'snippet' | 'matches' | 'isPartial' | 'isSeenInCover'>

/**
 * Returns the summary that covers a hit, and which of its covers are in the window.
 * @param covers the summaries that cover the hit, the nearest first
 */
export const coverOf = (
  covers: readonly Above[],
  inContext: boolean,
): Pick<HitRow, 'coveredBy' | 'coverInWindow' | 'inContext'> => ({
  coveredBy: covers.map(({ id }) => id),
  coverInWindow: inContext ? null : (covers.find(({ inWindow }) => inWindow)?.id ?? null),
  inContext,
})

/** One kind of thing that can be searched by an index: messages or summaries. */
export interface Corpus {
  readonly kind: 'message' | 'summary'
  /** The names of the fields that `texts` gives, in its order. */
  readonly fields: readonly GrepHit['field'][]
  /**
   * The index of the corpus. It is looked up at every use, and null when there is none that can be relied on now, so
   * that every text is read.
   */
  readonly index: TextIndex | null
  catalogue(slice: TimeSlice): Promise<Catalogue>
  /** The catalogue if it was read and is up to date. Reading it takes long. */
  readonly known: Catalogue | null
  /** Returns a catalogue of those of the rows that exist, and of no others. */
  excerpt(rows: readonly number[]): Catalogue
  rowCount(): number
  /** Returns the newest row, or 0 when there is none. */
  newestRow(): number
  /** Returns those of the rows that contain a text character by character. */
  holding(rows: readonly number[], text: string): number[]
  /**
   * Returns rows that match a LIKE pattern, in which the letters A to Z match both cases. It need not find all of them.
   */
  liking(rows: readonly number[], pattern: string): number[]
  /** Returns the texts by row. */
  texts(rows: readonly number[]): Map<number, Fields>
  /** Returns the ids of messages or summaries by row. */
  ids(rows: readonly number[]): Map<number, string>
  /** Returns what a list shows, by row. */
  hits(rows: readonly number[]): Map<number, HitRow>
}

/** Rows with their scores, the best first. */
export type RankedRows = { readonly rows: Float64Array; readonly scores: Float64Array }

/** A word of an index, and how many rows contain it. */
export type IndexedWord = { readonly word: string; readonly rows: number }

/** Row numbers from the first to the last, both included. */
export type RowRange = { readonly first: number; readonly last: number }

/**
 * Finds rows of one corpus without reading their texts. It finds no row that does not exist and misses none. What it is
 * asked for is written in FTS5's own language. https://www.sqlite.org/fts5.html#full_text_query_syntax
 */
export interface TextIndex {
  /** Returns the rows, ascending, that a query finds in the index of words, or those of them in a range. */
  rows(match: string, range: RowRange | null): Float64Array
  /** Returns how many rows a query finds in the index of words. It stops counting at `most`. */
  countUpTo(match: string, most: number): number
  /** Returns how many rows a query finds in the index of words, or how many of those in a range. */
  count(match: string, range: RowRange | null): number
  /**
   * Returns the rows that match best by `bm25()`, at most `limit`. Of equally good rows the one stored last comes
   * first.
   * @param among the rows that are ranked, or null for all
   */
  best(match: string, limit: number, among: Float64Array | null): RankedRows
  /** Returns the words of the index that begin so. */
  wordsWith(beginning: string): IndexedWord[]
  /**
   * Returns the rows, ascending, that hold two characters side by side, but not all in which these end a text. Null when
   * they stand beside so many others that they tell nothing.
   * @param before the character that stands before the two where they are looked for, or an empty text
   */
  pairs(pair: string, before: string): Float64Array | null
  /** Returns the rows, ascending, that a query finds in the index of trigrams, or those of them in a range. */
  trigrams(match: string, range: RowRange | null): Float64Array
}

/** The indexes over both corpora of one file. */
export type TextIndexes = {
  readonly messages: TextIndex
  readonly summaries: TextIndex
  /** A note for answers that used these indexes, or null when there is nothing to say. */
  readonly note: string | null
}

/** Where a search gets its indexes. While a file is open, an index may be made or may fall behind the file. */
export type TextIndexSource = {
  /** Returns null while there are no indexes that can be relied on. */
  current(): TextIndexes | null
  /** Returns why there are none, as a note for answers for which every text was read. */
  absence(): string
  /**
   * Returns whether an error came from the indexes and not from the file. Then the indexes are given up and the search
   * is repeated without them.
   */
  failed?(error: unknown): boolean
}
