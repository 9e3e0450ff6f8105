import { nextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import {
  rowsAfter,
  rowsWithin,
  storedTextsWithin,
  type TextKind,
  textBytesWithin,
} from '#core/systems/reading/text-ranges.ts'
import type { TimeSlice } from '#core/yielding.ts'
import type { Corpus } from '../indexes/corpus.ts'
import type { Fields } from '../query/matcher.ts'
import { signatureOf } from './text-signature.ts'

/** The block of a row is its number divided by this, rounded down. */
export const BLOCK_ROWS = 256
/** A block with more text than this is read a few rows at a time and has no signature. */
const LARGEST_BLOCK_BYTES = 8_000_000
/** How many row numbers are read at a time. */
const ROWS_AT_ONCE = 10_000

export type Block =
  /** Every text is as it was when the signature was taken. */
  | { readonly kind: 'same' }
  /** `signature` is the one of these texts. */
  | { readonly kind: 'texts'; readonly signature: number; readonly texts: ReadonlyMap<number, Fields> }
  /** The block has too much text to be read at once. */
  | { readonly kind: 'large'; readonly rows: readonly number[] }

/** Reads the texts of a corpus in blocks and returns the texts of those blocks that changed. */
export class BlockReader {
  readonly #read: ReadDb
  readonly #corpus: Corpus
  readonly #kind: TextKind

  constructor(read: ReadDb, corpus: Corpus) {
    this.#read = read
    this.#corpus = corpus
    this.#kind = corpus.kind === 'summary' ? 'summary' : 'message'
  }

  /** Returns the numbers of the blocks that have a row, ascending. */
  async numbers(slice: TimeSlice): Promise<number[]> {
    const blocks = new Set<number>()
    let last = Number.NEGATIVE_INFINITY
    for (let read = ROWS_AT_ONCE; read === ROWS_AT_ONCE; ) {
      const rows = rowsAfter(this.#read, this.#kind, last, ROWS_AT_ONCE)
      for (const row of rows) blocks.add(Math.floor(row / BLOCK_ROWS))
      if (rows.length === ROWS_AT_ONCE) last = nextKey(this.#read, 'the numbers of rows', last, rows.at(-1))
      read = rows.length
      await slice.yieldIfOver()
    }
    return [...blocks]
  }

  /** @param signature the signature of the block when it was last read, or undefined when it had none */
  look(block: number, signature: number | undefined): Block {
    const range = { from: block * BLOCK_ROWS, to: block * BLOCK_ROWS + BLOCK_ROWS - 1 }
    return readSnapshot(this.#read, () => {
      const rows = (): number[] => rowsWithin(this.#read, this.#kind, range)
      if (textBytesWithin(this.#read, this.#kind, range) > LARGEST_BLOCK_BYTES) return { kind: 'large', rows: rows() }
      const now = signatureOf(storedTextsWithin(this.#read, this.#kind, range))
      if (now === signature) return { kind: 'same' }
      return { kind: 'texts', signature: now, texts: this.#corpus.texts(rows()) }
    })
  }
}
