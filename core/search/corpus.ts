import type { Cover } from '../contract/message.ts'
import type { GrepHit } from '../contract/retrieval.ts'
import type { TimeSlice } from '../yielding.ts'
import type { Catalogue } from './catalogue.ts'
import type { Postings } from './fts5-doclist.ts'
import type { Fields } from './matcher.ts'

/** A hit on a page before its snippet: what the list shows of the row. */
export type HitRow = Omit<GrepHit, 'field' | 'snippet' | 'matches' | 'isPartial' | 'isSeenInCover'>

/** What stands for a hit, and what of that is in the window. @param covers nearest first */
export const coverOf = (
  covers: readonly Cover[],
  inContext: boolean,
): Pick<HitRow, 'coveredBy' | 'coverInWindow' | 'inContext'> => ({
  coveredBy: covers.map(({ id }) => id),
  coverInWindow: inContext ? null : (covers.find(({ inWindow }) => inWindow)?.id ?? null),
  inContext,
})

/** One kind of thing that can be searched. */
export interface Corpus {
  readonly kind: 'message' | 'summary' | 'file'
  /** Names of what `texts` gives, in its order. */
  readonly fields: readonly GrepHit['field'][]
  /** Looked up anew at every use. null: there is none that can be trusted now, every text is read. */
  readonly index: TextIndex | null
  catalogue(slice: TimeSlice): Promise<Catalogue>
  /** The catalogue if it is known and up to date; it takes long to read. */
  readonly known: Catalogue | null
  /** A catalogue of those of the rows that are there, and no others. */
  excerpt(rows: readonly number[]): Catalogue
  /** The newest row that there is; 0 when there is none. */
  newestRow(): number
  /** Those of the rows in which a text stands character by character. */
  holding(rows: readonly number[], text: string): number[]
  /** Some of the rows in which letters stand, small or large: A to Z in a pattern of LIKE stand for both. */
  liking(rows: readonly number[], pattern: string): number[]
  /** Texts by row. */
  texts(rows: readonly number[]): Map<number, Fields>
  /** What the list shows, by row. */
  hits(rows: readonly number[]): Map<number, HitRow>
}

/** Finds rows of one corpus without reading their texts: never one that is not there, never one too few. */
export interface TextIndex {
  /** Rows, ascending, that an FTS5 query finds in the words. */
  words(match: string): Float64Array
  /** Rows that hold one token, or one that begins with it, and how often; 1 where the index cannot tell. */
  postings(token: string, isPrefix: boolean): Postings
  /** Rows, ascending, that an FTS5 query finds in the trigrams. */
  trigrams(match: string): Float64Array
  /** Rows, ascending, that hold a trigram in small letters; null when only `trigrams` can be asked. */
  trigram(trigram: string): Float64Array | null
}

/** The indexes over both corpora of one file. */
export type TextIndexes = {
  readonly messages: TextIndex
  readonly summaries: TextIndex
  /** Said with an answer that came from them; null when it goes without saying. */
  readonly note: string | null
}

/** Where a search finds its indexes: one may appear, or fall behind its file, while the file is open. */
export type TextIndexSource = {
  /** null while there are none that can be trusted. */
  current(): TextIndexes | null
  /** Why there are none: said with an answer for which every text was read. */
  absence(): string
  /** Whether an error came from the indexes and not from the file: then they are given up, and there is an answer without. */
  failed?(error: unknown): boolean
}
