import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import type { LineRun } from '#core/files/line-runs.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import { HEADER_BYTES, MAGIC, RUN_FIELDS, SEGMENT_COLUMNS, widthOf } from './content-index.ts'
import { COLUMN_BITS, type Column, columnsOf } from './grams.ts'

/** This many columns are turned into slices between two chances to yield. */
const COLUMNS_AT_ONCE = 64

/**
 * Writes the index of one content, run by run. The layout is described in `content-index.ts`.
 * @throws LcmError disk_full, file_not_readable
 */
export class ContentIndexWriter {
  readonly #path: string
  readonly #file: number
  readonly #runs: number[] = []
  #segment: Column[] = []
  #columns = 0
  #end = HEADER_BYTES

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'wx', 0o600)
  }

  /** Yields where others may go first. */
  *add({ start, bytes, text }: LineRun): Generator<void> {
    this.#runs.push(start.offset, bytes.length, start.row, start.line, this.#columns)
    for (const column of columnsOf(text)) {
      this.#segment.push(column)
      this.#columns += 1
      if (this.#segment.length === SEGMENT_COLUMNS) yield* this.#endSegment()
    }
  }

  /** Writes what is left. Without it the file is no index. */
  *finish(): Generator<void> {
    if (this.#segment.length > 0) yield* this.#endSegment()
    this.#write(Buffer.from(Float64Array.from(this.#runs).buffer), this.#end)
    const header = Buffer.alloc(HEADER_BYTES)
    header.write(MAGIC, 'latin1')
    header.writeUInt32LE(this.#columns, 8)
    header.writeUInt32LE(this.#runs.length / RUN_FIELDS, 12)
    this.#write(header, 0)
    // A page that is lost in a power cut would hide hits.
    fsyncSync(this.#file)
  }

  close(): void {
    closeSync(this.#file)
  }

  *#endSegment(): Generator<void> {
    const width = widthOf(this.#segment.length)
    const slices = new Uint8Array(COLUMN_BITS * width)
    for (const [number, column] of this.#segment.entries()) {
      const [place, mask] = [number >> 3, 1 << (number & 7)]
      for (const [word, bits] of column.entries()) {
        for (let left = bits; left !== 0; left &= left - 1) {
          const at = (word * 32 + 31 - Math.clz32(left & -left)) * width + place
          slices[at] = (slices[at] as number) | mask
        }
      }
      if (number % COLUMNS_AT_ONCE === 0) yield
    }
    this.#segment = []
    this.#write(slices, this.#end)
    this.#end += slices.length
  }

  #write(bytes: Uint8Array, at: number): void {
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#file, bytes, done, bytes.length - done, at + done)
      }
    } catch (error) {
      throw fileError(error, this.#path)
    }
  }
}
