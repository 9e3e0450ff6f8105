import type { Capabilities } from '../contract/memory.ts'
import { LcmError } from '../errors.ts'
import { hasPendingIndex, LONG_MESSAGE_PENDING } from '../sqlite/pending-index.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { IndexedWord, RankedRows, TextIndex, TextIndexSource } from './corpus.ts'

/** Returns the indexes of a file that keeps its own. Tables in a file that does not are never relied on. */
export function ownIndexes(db: ReadDb, capabilities: Capabilities): TextIndexSource {
  const isIndexed = capabilities.fullTextIndex && capabilities.substringIndex
  const indexes = isIndexed
    ? { messages: new NativeTextIndex(db, 'messages'), summaries: new NativeTextIndex(db, 'summaries'), note: null }
    : null
  const isPending = (): boolean => indexes !== null && lacksMessages(db)
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

const queries = {
  // One aggregated value takes half the time of 200,000 rows.
  rows: (table: string) => /* sql */ `
    SELECT group_concat(rowid) FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH :match ORDER BY rowid)`,
  best: (table: 'messages' | 'summaries') => /* sql */ `
    SELECT rowid, -bm25(${table}_fts, ${weightsOf(table).join(', ')}) AS score
    FROM ${table}_fts
    WHERE ${table}_fts MATCH :match
    ORDER BY score DESC, rowid DESC
    LIMIT CAST(:limit AS INTEGER)`,
  words: (table: string) => /* sql */ `
    SELECT term AS word, doc AS rows FROM temp.${table}_vocabulary WHERE term >= :beginning AND term < :end`,
}

/** The tables of words and of trigrams over one corpus, in a native file or in a file with tables like them. */
export class NativeTextIndex implements TextIndex {
  readonly #db: ReadDb
  readonly #queries: { readonly rows: string; readonly best: string; readonly words: string; readonly trigrams: string }

  /** @param table the name before `_fts` and `_trigram` */
  constructor(db: ReadDb, table: 'messages' | 'summaries') {
    this.#db = db
    this.#queries = {
      rows: queries.rows(`${table}_fts`),
      best: queries.best(table),
      words: queries.words(table),
      trigrams: queries.rows(`${table}_trigram`),
    }
  }

  rows(match: string): Float64Array {
    return parseRows(this.#db.value<string>(this.#queries.rows, { match }))
  }

  best(match: string, limit: number): RankedRows {
    const found = this.#db.rows<[row: number, score: number]>(this.#queries.best, { match, limit })
    return { rows: Float64Array.from(found, ([row]) => row), scores: Float64Array.from(found, ([, score]) => score) }
  }

  wordsWith(beginning: string): IndexedWord[] {
    // No character comes after this one, and words are compared by their bytes.
    return this.#db.all<IndexedWord>(this.#queries.words, { beginning, end: `${beginning}\u{10ffff}` })
  }

  trigrams(match: string): Float64Array {
    return parseRows(this.#db.value<string>(this.#queries.trigrams, { match }))
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
