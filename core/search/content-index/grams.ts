import { RUN_BYTES } from '#core/files/line-runs.ts'
import { smallLetters, wordsOf } from '../text-folding.ts'

/*
 * A gram is four bytes of UTF-8 that follow each other. Of a piece of text it is known which grams stand in it, in both
 * forms in which texts are compared: in small letters, and as words with spaces between them. A gram is a bit of a
 * column (a Bloom filter with one hash function), so a piece may seem to hold a gram that it does not hold, never the
 * other way round.
 */

const GRAM_BYTES = 4
const COLUMN_BIT_WIDTH = 15
export const COLUMN_BITS = 1 << COLUMN_BIT_WIDTH
/** A run of usual length is one column, also when it grows a little by folding. */
const PIECE_BYTES = RUN_BYTES + RUN_BYTES / 4
/** Pieces of one longer run overlap, so that a text of this length stands in one of them as a whole. */
const LONGEST_NEEDLE = 256

/** A piece of a run: which grams it has, by their bits. */
export type Column = Uint32Array

/** Returns the columns of a run of lines. */
export function columnsOf(text: string): Column[] {
  const columns: Column[] = []
  for (const folded of [smallLetters(text), wordsOf(text)]) {
    const bytes = Buffer.from(folded)
    for (let [start, number] = [0, 0]; number === 0 || start + LONGEST_NEEDLE < bytes.length; number += 1) {
      const column = columns[number] ?? new Uint32Array(COLUMN_BITS / 32)
      columns[number] = column
      addGrams(column, bytes, start, Math.min(bytes.length, start + PIECE_BYTES))
      start += PIECE_BYTES - LONGEST_NEEDLE
    }
  }
  return columns
}

function addGrams(column: Column, bytes: Uint8Array, start: number, end: number): void {
  let gram = 0
  for (let at = start; at < end; at += 1) {
    gram = (gram << 8) | (bytes[at] as number)
    if (at - start < GRAM_BYTES - 1) continue
    const bit = bitOf(gram)
    column[bit >> 5] = (column[bit >> 5] as number) | (1 << (bit & 31))
  }
}

/** Multiplicative hashing: the high bits of a product with the golden ratio depend on every bit of the gram. */
const bitOf = (gram: number): number => Math.imul(gram, 0x9e3779b1) >>> (32 - COLUMN_BIT_WIDTH)

/** More grams of one text would hardly exclude more pieces. */
const MOST_GRAMS = 32

/** Returns the bits that a piece has in which this folded text stands, or null when the text is too short to tell. */
export function bitsOfText(folded: string): number[] | null {
  const bytes = Buffer.from(folded).subarray(0, LONGEST_NEEDLE)
  if (bytes.length < GRAM_BYTES) return null
  const bits = new Set<number>()
  for (let at = 0; at + GRAM_BYTES <= bytes.length; at += 1) bits.add(bitOf(bytes.readInt32BE(at)))
  const step = Math.max(1, bits.size / MOST_GRAMS)
  const all = [...bits]
  return Array.from({ length: Math.min(all.length, MOST_GRAMS) }, (_, at) => all[Math.floor(at * step)] as number)
}
