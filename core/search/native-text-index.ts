import type { Capabilities } from '../contract/memory.ts'
import { LcmError } from '../errors.ts'
import { hasPendingIndex, LONG_MESSAGE_PENDING } from '../sqlite/pending-index.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { TextIndex, TextIndexSource } from './corpus.ts'
import type { Postings } from './fts5-doclist.ts'
import { Fts5Reader } from './fts5-reader.ts'

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

/** The tables of words and of trigrams over one corpus, in a native file or in a file with tables like them. */
export class NativeTextIndex implements TextIndex {
  readonly #db: ReadDb
  readonly #words: string
  readonly #trigrams: string
  readonly #reader: Fts5Reader
  readonly #trigramReader: Fts5Reader

  /** @param table `messages` or `summaries`: the name before `_fts` and `_trigram` */
  constructor(db: ReadDb, table: 'messages' | 'summaries') {
    this.#db = db
    this.#words = rowsOf(`${table}_fts`)
    this.#trigrams = rowsOf(`${table}_trigram`)
    this.#reader = new Fts5Reader(db, `${table}_fts`, true)
    this.#trigramReader = new Fts5Reader(db, `${table}_trigram`, false)
  }

  words(match: string): Float64Array {
    return parseRows(this.#db.value<string>(this.#words, { match }))
  }

  postings(token: string, isPrefix: boolean): Postings {
    const read = this.#reader.postings(token, isPrefix)
    if (read) return read
    const rows = this.words(`"${token}"${isPrefix ? ' *' : ''}`)
    return { rows, counts: new Uint16Array(rows.length).fill(1) }
  }

  trigrams(match: string): Float64Array {
    return parseRows(this.#db.value<string>(this.#trigrams, { match }))
  }

  trigram(trigram: string): Float64Array | null {
    return this.#trigramReader.postings(trigram, false)?.rows ?? null
  }
}

// One aggregated value takes half the time of 200,000 rows.
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
  return rows.subarray(0, count)
}
