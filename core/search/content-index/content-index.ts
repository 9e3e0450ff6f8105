import { closeSync, fstatSync, openSync, rmSync } from 'node:fs'
import { type LineRun, type RowStart, readRun } from '#core/files/line-runs.ts'
import { openPlainFile } from '#core/files/stored-path.ts'
import { readAt } from '#core/read-at.ts'
import type { Formula } from '../index-expression.ts'
import { bitsOfText, COLUMN_BITS } from './grams.ts'

/*
 * The index of the content of a large file: a file in the app's cache that says which runs of lines may hold a text.
 * Columns (see `grams.ts`) are stored by bits, in segments: bit 0 of all columns of a segment, then bit 1 … So the
 * columns with some grams are found by reading some hundred bytes for each gram.
 *
 *   header   magic, number of columns, number of runs
 *   segments COLUMN_BITS slices of `widthOf` bytes; each column is a bit of a slice
 *   runs     for each run RUN_FIELDS numbers: offset, bytes, row, line, first column
 */

export const MAGIC = 'lcmgram1'
export const HEADER_BYTES = 16
export const SEGMENT_COLUMNS = 4096
export const RUN_FIELDS = 5
const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT

/** Returns how many bytes a slice of a segment has. */
export const widthOf = (columns: number): number => Math.ceil(columns / 8)

/** Returns the places of all segments of an index, and their numbers of columns. */
function segmentsOf(columns: number): { readonly at: number; readonly width: number }[] {
  const count = Math.ceil(columns / SEGMENT_COLUMNS)
  return Array.from({ length: count }, (_, segment) => ({
    at: HEADER_BYTES + segment * COLUMN_BITS * widthOf(SEGMENT_COLUMNS),
    width: widthOf(Math.min(SEGMENT_COLUMNS, columns - segment * SEGMENT_COLUMNS)),
  }))
}

const endOfSegments = (columns: number): number => {
  const last = segmentsOf(columns).at(-1)
  return last ? last.at + last.width * COLUMN_BITS : HEADER_BYTES
}

/** The index of one content, open for one search. */
export class ContentIndex {
  readonly #path: string
  readonly #file: number
  readonly #columns: number
  readonly #runs: Float64Array

  private constructor(path: string, file: number, columns: number, runs: Float64Array) {
    this.#path = path
    this.#file = file
    this.#columns = columns
    this.#runs = runs
  }

  /**
   * @param path of the content
   * @param indexPath of its index
   * @returns null when there is no index, or one that cannot be right
   */
  static open(path: string, indexPath: string): ContentIndex | null {
    let file: number
    try {
      file = openSync(indexPath, 'r')
    } catch {
      // There is no index, or it cannot be read: the content is read instead.
      return null
    }
    const header = readAt(file, 0, HEADER_BYTES)
    if (header.length === HEADER_BYTES && header.toString('latin1', 0, MAGIC.length) === MAGIC) {
      const [columns, runs] = [header.readUInt32LE(8), header.readUInt32LE(12)]
      const at = endOfSegments(columns)
      const bytes = runs * RUN_FIELDS * NUMBER_BYTES
      if (fstatSync(file).size === at + bytes) {
        const table = new Float64Array(runs * RUN_FIELDS)
        Buffer.from(table.buffer).set(readAt(file, at, bytes))
        return new ContentIndex(path, file, columns, table)
      }
    }
    closeSync(file)
    // It is made anew when somebody indexes contents again.
    removeDamaged(indexPath)
    return null
  }

  /** Yields the runs from an offset on that may hold what the formula says, in their order. */
  *runs(formula: Formula, fromOffset: number): Generator<LineRun> {
    const wanted = this.#runsOf(formula)
    const content = openPlainFile(this.#path)
    try {
      for (let run = 0; run < this.#runs.length / RUN_FIELDS; run += 1) {
        const { start, bytes } = this.#run(run)
        if (start.offset + bytes <= fromOffset || (wanted !== null && wanted[run] === 0)) continue
        yield readRun(content, start, bytes)
      }
    } finally {
      closeSync(content)
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  #run(run: number): { readonly start: RowStart; readonly bytes: number } {
    const [offset = 0, bytes = 0, row = 0, line = 1] = this.#runs.subarray(run * RUN_FIELDS, (run + 1) * RUN_FIELDS)
    return { start: { offset, row, line }, bytes }
  }

  /** Returns 1 for each run that may satisfy the formula, or null when the formula says too little. */
  #runsOf(formula: Formula): Uint8Array | null {
    switch (formula.kind) {
      case 'anything':
        return null
      case 'text': {
        const bits = bitsOfText(formula.text)
        return bits && this.#runsWith(bits)
      }
      case 'all': {
        const parts = formula.of.map((part) => this.#runsOf(part)).filter((runs) => runs !== null)
        return parts.length === 0 ? null : parts.reduce((a, b) => a.map((is, run) => is & (b[run] as number)))
      }
      case 'any': {
        const parts = formula.of.map((part) => this.#runsOf(part))
        if (parts.includes(null) || parts.length === 0) return null
        return parts.reduce((a, b) => (a as Uint8Array).map((is, run) => is | ((b as Uint8Array)[run] as number)))
      }
    }
  }

  #runsWith(bits: readonly number[]): Uint8Array {
    const runs = new Uint8Array(this.#runs.length / RUN_FIELDS)
    let run = 0
    for (const [segment, { at, width }] of segmentsOf(this.#columns).entries()) {
      const found = this.#columnsWith(bits, at, width)
      for (let column = 0; column < width * 8; column += 1) {
        if (((found[column >> 3] as number) & (1 << (column & 7))) === 0) continue
        const number = segment * SEGMENT_COLUMNS + column
        while (run + 1 < runs.length && this.#firstColumn(run + 1) <= number) run += 1
        runs[run] = 1
      }
    }
    return runs
  }

  #firstColumn(run: number): number {
    return this.#runs[run * RUN_FIELDS + 4] as number
  }

  /** Returns the columns of a segment that have all these bits. */
  #columnsWith(bits: readonly number[], at: number, width: number): Uint8Array {
    let found: Uint8Array | null = null
    for (const bit of bits) {
      const slice = readAt(this.#file, at + bit * width, width)
      found = found === null ? slice : found.map((byte, place) => byte & (slice[place] as number))
      if (found.every((byte) => byte === 0)) break
    }
    return found ?? new Uint8Array(width)
  }
}

function removeDamaged(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The cache cannot be written. The index stays unused.
  }
}
