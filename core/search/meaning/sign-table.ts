import type { TimeSlice } from '#core/yielding.ts'
import type { Corpus } from '../indexes/corpus.ts'
import type { VectorFile } from './vector-file.ts'

const PIECES_A_PAGE = 4000
/** How many pieces are looked at between two chances to yield. */
const PIECES_A_STEP = 4096

/** A piece by its place in a table, and how near it seems to a question. */
type Seeming = { readonly place: number; readonly score: number }

/**
 * The signs of all vectors of one corpus, in memory: a bit for each number, a 32nd of the vectors themselves. They say
 * which vectors are worth reading.
 */
export class SignTable {
  readonly rows: Float64Array
  readonly vectors: Float64Array
  readonly #signs: Uint8Array
  readonly #width: number

  private constructor(rows: Float64Array, vectors: Float64Array, signs: Uint8Array, width: number) {
    this.rows = rows
    this.vectors = vectors
    this.#signs = signs
    this.#width = width
  }

  static async load(
    file: VectorFile,
    memory: number,
    kind: Corpus['kind'],
    dimensions: number,
    slice: TimeSlice,
  ): Promise<SignTable> {
    const width = Math.ceil(dimensions / 8)
    const pages: (readonly [rows: Float64Array, vectors: Float64Array, signs: Uint8Array])[] = []
    let after: readonly [number, number] = [Number.MIN_SAFE_INTEGER, 0]
    for (let read = PIECES_A_PAGE; read === PIECES_A_PAGE; ) {
      const page = file.page(memory, kind, after, PIECES_A_PAGE)
      const signs = new Uint8Array(page.length * width)
      for (const [at, piece] of page.entries()) {
        signs.set(piece[3].subarray(0, width), at * width)
        after = [piece[0], piece[1]]
      }
      pages.push([Float64Array.from(page, ([row]) => row), Float64Array.from(page, ([, , vector]) => vector), signs])
      read = page.length
      await slice.yieldIfOver()
    }
    const length = pages.reduce((sum, [rows]) => sum + rows.length, 0)
    const all = [new Float64Array(length), new Float64Array(length), new Uint8Array(length * width)] as const
    let at = 0
    for (const [rows, vectors, signs] of pages) {
      all[0].set(rows, at)
      all[1].set(vectors, at)
      all[2].set(signs, at * width)
      at += rows.length
    }
    return new SignTable(...all, width)
  }

  /**
   * Returns the places of the pieces that seem nearest to a question, the nearest first: the sum of the question's
   * numbers, each with the sign of the piece, is close to the product of the vectors.
   * @param allows whether a row may be found
   */
  async nearest(
    question: Float32Array,
    count: number,
    allows: (row: number) => boolean,
    slice: TimeSlice,
  ): Promise<number[]> {
    const sums = sumsByByte(question, this.#width)
    let best: Seeming[] = []
    let least = Number.NEGATIVE_INFINITY
    const keepBest = (): void => {
      best = best.sort((a, b) => b.score - a.score || a.place - b.place).slice(0, count)
      if (best.length === count) least = best.at(-1)?.score ?? least
    }
    for (let start = 0; start < this.rows.length; start += PIECES_A_STEP) {
      const end = Math.min(this.rows.length, start + PIECES_A_STEP)
      for (let place = start; place < end; place += 1) {
        const score = this.#score(sums, place)
        if (score <= least || !allows(this.rows[place] as number)) continue
        best.push({ place, score })
        if (best.length > count * 4) keepBest()
      }
      await slice.yieldIfOver()
    }
    keepBest()
    return best.map(({ place }) => place)
  }

  #score(sums: Float32Array, place: number): number {
    const signs = this.#signs
    const width = this.#width
    let score = 0
    for (let byte = 0, at = place * width; byte < width; byte += 1, at += 1) {
      score += sums[(byte << 8) | (signs[at] as number)] as number
    }
    return score
  }
}

/** What each value of each byte of signs adds to the score of a piece. */
function sumsByByte(question: Float32Array, width: number): Float32Array {
  const sums = new Float32Array(width << 8)
  for (let byte = 0; byte < width; byte += 1) {
    for (let value = 0; value < 256; value += 1) {
      let sum = 0
      for (let bit = 0; bit < 8; bit += 1) {
        const number = question[byte * 8 + bit] ?? 0
        sum += (value >> bit) & 1 ? number : -number
      }
      sums[(byte << 8) | value] = sum
    }
  }
  return sums
}
