import type { GrepHit } from '../contract/retrieval.ts'
import type { ReadDb } from '../db/read-db.ts'
import type { Breather } from './breather.ts'
import type { Catalogue } from './catalogue.ts'
import type { Fields } from './matcher.ts'

/** A hit on a page before its snippet: what the list shows of the row. */
export type HitRow = Omit<GrepHit, 'field' | 'snippet' | 'matches' | 'isPartial'>

/** One kind of thing that can be searched. */
export interface Corpus {
  readonly kind: 'message' | 'summary' | 'file'
  /** Names of what `texts` gives, in its order. */
  readonly fields: readonly GrepHit['field'][]
  /** null: there is none that can be trusted, every text is read. */
  readonly index: TextIndex | null
  catalogue(breather: Breather): Promise<Catalogue>
  /** Those of the rows in which a text stands character by character. */
  holding(rows: readonly number[], text: string): number[]
  /** Some of the rows in which letters stand, small or large: A to Z in a pattern of LIKE stand for both. */
  liking(rows: readonly number[], pattern: string): number[]
  /** Texts by row. */
  texts(rows: readonly number[]): Map<number, Fields>
  /** What the list shows, by row. */
  hits(rows: readonly number[]): Map<number, HitRow>
}

/** The full-text and the trigram index of a native file over one corpus. */
export class TextIndex {
  readonly #db: ReadDb
  readonly #words: string
  readonly #counted: string
  readonly #ranked: string
  readonly #best: string
  readonly #trigrams: string

  /** @param table `messages` or `summaries`: the name before `_fts` and `_trigram` */
  constructor(db: ReadDb, table: 'messages' | 'summaries') {
    this.#db = db
    this.#words = rowsOf(`${table}_fts`)
    this.#trigrams = rowsOf(`${table}_trigram`)
    this.#counted = /* sql */ `SELECT count(*) FROM ${table}_fts WHERE ${table}_fts MATCH :match`
    const scored = /* sql */ `
      SELECT rowid, -bm25(${table}_fts) AS score
      FROM ${table}_fts
      WHERE ${table}_fts MATCH :match AND rowid BETWEEN CAST(:from AS INTEGER) AND CAST(:to AS INTEGER)`
    this.#ranked = `${scored} ORDER BY rowid`
    this.#best = `${scored} ORDER BY score DESC LIMIT CAST(:limit AS INTEGER)`
  }

  /** Rows, ascending, that an FTS5 query finds in the words. */
  words(match: string): Float64Array {
    return parseRows(this.#db.value<string>(this.#words, { match }))
  }

  /** How many rows an FTS5 query finds in the words. */
  count(match: string): number {
    return this.#db.value<number>(this.#counted, { match }) ?? 0
  }

  /** Rows, ascending, that an FTS5 query finds in the trigrams. */
  trigrams(match: string): Float64Array {
    return parseRows(this.#db.value<string>(this.#trigrams, { match }))
  }

  /** Scores of the rows of a query between two rows (the higher, the better), by row. */
  scores(match: string, from: number, to: number): Map<number, number> {
    return new Map(this.#db.iterateRaw<[number, number]>(this.#ranked, { match, from, to }))
  }

  /** The best rows of a query between two rows with their scores, best first; those left out are no better. */
  best(match: string, from: number, to: number, limit: number): [row: number, score: number][] {
    return [...this.#db.iterateRaw<[number, number]>(this.#best, { match, from, to, limit })]
  }
}

// One value instead of 200,000 rows: half the time.
const rowsOf = (table: string): string => /* sql */ `
  SELECT group_concat(rowid) FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH :match ORDER BY rowid)`

function parseRows(list: string | null | undefined): Float64Array {
  if (!list) return new Float64Array(0)
  const rows = new Float64Array((list.length >> 1) + 1)
  let count = 0
  let row = 0
  for (let i = 0; i <= list.length; i += 1) {
    const digit = list.charCodeAt(i) - 48
    if (digit >= 0) row = row * 10 + digit
    else {
      rows[count] = row
      count += 1
      row = 0
    }
  }
  return rows.slice(0, count)
}
