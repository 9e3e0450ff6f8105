import type { Capabilities } from '#core/contract/memory.ts'
import { LcmError } from '#core/errors.ts'
import { hasPendingIndex, LONG_MESSAGE_PENDING } from '#core/sqlite/pending-index.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import type { IndexedWord, RankedRows, RowRange, TextIndex, TextIndexSource } from './corpus.ts'

/** Returns the indexes of a file that keeps its own. Tables in a file that does not are never relied on. */
export function ownIndexes(db: ReadDb, capabilities: Capabilities): TextIndexSource {
  const isIndexed = capabilities.fullTextIndex && capabilities.substringIndex
  const indexes = isIndexed
    ? { messages: new NativeTextIndex(db, 'messages'), summaries: new NativeTextIndex(db, 'summaries'), note: null }
    : null
  let looked: { readonly stamp: string; readonly lacks: boolean } | null = null
  const isPending = (): boolean => {
    if (indexes === null) return false
    const stamp = changeStamp(db)
    if (looked?.stamp !== stamp) looked = { stamp, lacks: lacksMessages(db) }
    return looked.lacks
  }
  return {
    current: () => (isPending() ? null : indexes),
    absence: () => (isPending() ? LONG_MESSAGE_PENDING : 'this file has no index that can be relied on.'),
  }
}

function lacksMessages(db: ReadDb): boolean {
  try {
    return hasPendingIndex(db)
  } catch (error) {
    // When the notes of a file are damaged, nothing is known of its indexes.
    if (error instanceof LcmError) return true
    throw error
  }
}

/** Texts that a tool gave or was given say less for their length than what somebody said. */
const WEIGHTS = {
  messages: { content: 1, tool_input: 0.5, tool_output: 0.5, reasoning: 0.7 },
  summaries: { content: 1 },
} as const

/** The weight of each field, in the order of the fields, by which relevance is counted. */
export const weightsOf = (table: keyof typeof WEIGHTS): readonly number[] => Object.values(WEIGHTS[table])

const BETWEEN = /* sql */ `rowid BETWEEN CAST(:first AS INTEGER) AND CAST(:last AS INTEGER)`

/** With the sign, FTS5 looks the query up once, and only rows of the list are scored. */
const AMONG = /* sql */ ` AND +rowid IN (SELECT value FROM json_each(:among))`

const queries = {
  // One aggregated value takes half the time of 200,000 rows.
  rows: (table: string) => /* sql */ `
    SELECT group_concat(rowid) FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH :match ORDER BY rowid)`,
  // FTS5 reads a range by itself when its ends are integers, and all rows when they are not.
  rowsBetween: (table: string) => /* sql */ `
    SELECT group_concat(rowid)
    FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH :match AND ${BETWEEN} ORDER BY rowid)`,
  count: (table: string) => /* sql */ `SELECT count(*) FROM ${table} WHERE ${table} MATCH :match`,
  countBetween: (table: string) => /* sql */ `
    SELECT count(*) FROM ${table} WHERE ${table} MATCH :match AND ${BETWEEN}`,
  /** FTS5 counts the rows of a word in half the time that it takes to give each of them. */
  countWord: (table: string) => /* sql */ `SELECT doc FROM temp.${table}_vocabulary WHERE term = :word`,
  countUpTo: (table: string) => /* sql */ `
    SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH :match LIMIT CAST(:most AS INTEGER))`,
  best: (table: 'messages' | 'summaries', condition: string) => /* sql */ `
    SELECT rowid, -bm25(${table}_fts, ${weightsOf(table).join(', ')}) AS score
    FROM ${table}_fts
    WHERE ${table}_fts MATCH :match${condition}
    ORDER BY score DESC, rowid DESC
    LIMIT CAST(:limit AS INTEGER)`,
  trigramsWith: (table: string) => /* sql */ `
    SELECT term FROM temp.${table}_trigrams WHERE term >= :beginning AND term < :end LIMIT CAST(:most AS INTEGER)`,
  words: (table: string) => /* sql */ `
    SELECT term AS word, doc AS rows FROM temp.${table}_vocabulary WHERE term >= :beginning AND term < :end`,
}

/** A query for a single token, as `wordMatch` writes it. */
const ONE_WORD = /^"([^" ]+)"$/

/** Two characters that stand before more others than this tell nothing. */
const MOST_TRIGRAMS = 1000

/** The tables of words and of trigrams over one corpus, in a native file or in a file with tables like them. */
export class NativeTextIndex implements TextIndex {
  readonly #db: ReadDb
  readonly #table: 'messages' | 'summaries'

  /** @param table the name before `_fts` and `_trigram` */
  constructor(db: ReadDb, table: 'messages' | 'summaries') {
    this.#db = db
    this.#table = table
  }

  rows(match: string, range: RowRange | null): Float64Array {
    return this.#rowsOf(`${this.#table}_fts`, match, range)
  }

  countUpTo(match: string, most: number): number {
    return this.#db.value<number>(queries.countUpTo(`${this.#table}_fts`), { match, most }) ?? 0
  }

  count(match: string, range: RowRange | null): number {
    const table = `${this.#table}_fts`
    if (range !== null) return this.#db.value<number>(queries.countBetween(table), { match, ...range }) ?? 0
    const [, word] = ONE_WORD.exec(match) ?? []
    return word === undefined
      ? (this.#db.value<number>(queries.count(table), { match }) ?? 0)
      : (this.#db.value<number>(queries.countWord(this.#table), { word }) ?? 0)
  }

  best(match: string, limit: number, among: Float64Array | null): RankedRows {
    const sql = queries.best(this.#table, among === null ? '' : AMONG)
    const list = among === null ? null : JSON.stringify([...among])
    const found = this.#db.rows<[row: number, score: number]>(sql, { match, limit, among: list })
    return { rows: Float64Array.from(found, ([row]) => row), scores: Float64Array.from(found, ([, score]) => score) }
  }

  wordsWith(beginning: string): IndexedWord[] {
    // No character comes after this one, and words are compared by their bytes.
    return this.#db.all<IndexedWord>(queries.words(this.#table), { beginning, end: `${beginning}\u{10ffff}` })
  }

  pairs(pair: string, before: string): Float64Array | null {
    const sought = { beginning: pair, end: `${pair}\u{10ffff}`, most: MOST_TRIGRAMS + 1 }
    const found = this.#db.column<string>(queries.trigramsWith(this.#table), sought)
    if (found.length > MOST_TRIGRAMS) return null
    const all = before === '' ? found : [...found, `${before}${pair}`]
    const match = all.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' OR ')
    return match === '' ? new Float64Array(0) : this.trigrams(match, null)
  }

  trigrams(match: string, range: RowRange | null): Float64Array {
    return this.#rowsOf(`${this.#table}_trigram`, match, range)
  }

  #rowsOf(table: string, match: string, range: RowRange | null): Float64Array {
    const rows = range === null ? queries.rows(table) : queries.rowsBetween(table)
    return parseRows(this.#db.value<string>(rows, { match, ...range }))
  }
}

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
  return rows.subarray(0, count)
}
