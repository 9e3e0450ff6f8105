import { rowEnds } from './row-ends.ts'
import { filePieces } from './stored-path.ts'

const NEWLINE = 10
/** A line is looked through as a whole up to this length, and a longer one in pieces that overlap. */
const LONGEST_LINE = 1 << 20
const OVERLAP = 4096

/** Where a row begins. */
export type RowStart = { readonly offset: number; readonly row: number; readonly line: number }

/** Some whole lines of a file, or a piece of a very long one. */
export type LineRun = { readonly start: RowStart; readonly bytes: Uint8Array; readonly text: string }

export const FILE_START: RowStart = { offset: 0, row: 0, line: 1 }

/**
 * Reads a file from the start of a row on, some whole lines at a time.
 * @param runBytes how much is read at once
 */
export function* lineRuns(realPath: string, from: RowStart, runBytes?: number): Generator<LineRun> {
  let start = from
  let rest: Uint8Array = new Uint8Array()
  const take = (bytes: Uint8Array, nextStart: number): LineRun => {
    const run = { start, bytes, text: decode(bytes) }
    start = startAfter(start, bytes.subarray(0, nextStart))
    return run
  }
  for (const piece of filePieces(realPath, from.offset, runBytes)) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const end = bytes.lastIndexOf(NEWLINE) + 1
    if (end > 0) {
      yield take(bytes.subarray(0, end), end)
      rest = bytes.subarray(end)
    } else if (bytes.length > LONGEST_LINE + OVERLAP) {
      // Pieces end where rows end, so that rows are counted on.
      const cut = lastRowEnd(bytes, bytes.length - OVERLAP)
      yield take(bytes, cut)
      rest = bytes.subarray(cut)
    } else rest = bytes
  }
  if (rest.length > 0) yield take(rest, rest.length)
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

function lastRowEnd(bytes: Uint8Array, before: number): number {
  let last = 0
  for (const end of rowEnds(bytes, false)) {
    if (end > before) break
    last = end
  }
  return last
}

function startAfter({ offset, row, line }: RowStart, bytes: Uint8Array): RowStart {
  let [rows, lines] = [row, line]
  for (const end of rowEnds(bytes, true)) {
    rows += 1
    if (bytes[end - 1] === NEWLINE) lines += 1
  }
  return { offset: offset + bytes.length, row: rows, line: lines }
}

/** Finds the rows and lines of offsets in a run, which must be asked for in ascending order. */
export class RowPlaces {
  readonly #bytes: Uint8Array
  readonly #ends: Generator<number>
  #place: Pick<RowStart, 'row' | 'line'>
  #end = 0

  constructor({ bytes, start }: LineRun) {
    this.#bytes = bytes
    this.#ends = rowEnds(bytes, true)
    this.#place = start
    this.#end = this.#ends.next().value ?? bytes.length
  }

  of(offset: number): Pick<RowStart, 'row' | 'line'> {
    while (offset >= this.#end) {
      const step = this.#ends.next()
      if (step.done) break
      const isLineEnd = this.#bytes[this.#end - 1] === NEWLINE
      this.#place = { row: this.#place.row + 1, line: this.#place.line + (isLineEnd ? 1 : 0) }
      this.#end = step.value
    }
    return this.#place
  }
}
