import { rowEnds } from './row-ends.ts'
import { filePieces } from './stored-path.ts'

const NEWLINE = 10
/** A run has at most this many bytes, unless it is one longer line. */
const RUN_BYTES = 1 << 15
/** A line is looked through as a whole up to this length, and a longer one in pieces that overlap. */
const LONGEST_LINE = 1 << 20
const OVERLAP = 4096

/** Where a row begins. */
export type RowStart = { readonly offset: number; readonly row: number; readonly line: number }

/** Some whole lines of a file, or a piece of a very long one. */
export type LineRun = { readonly start: RowStart; readonly bytes: Uint8Array; readonly text: string }

export const FILE_START: RowStart = { offset: 0, row: 0, line: 1 }

/**
 * Reads a file from the start of a row on, in runs of whole lines. The same start always gives the same runs, because
 * the cursor of a search names the run in which it goes on.
 */
export function* lineRuns(realPath: string, from: RowStart): Generator<LineRun> {
  let start = from
  let rest: Uint8Array = new Uint8Array()
  const next = (isEnd: boolean): LineRun | null => {
    const end = runEnd(rest, isEnd)
    if (end === null) return null
    const run = lineRun(start, rest.subarray(0, end.bytes))
    start = startAfter(start, rest.subarray(0, end.next))
    rest = rest.subarray(end.next)
    return run
  }
  for (const piece of filePieces(realPath, from.offset)) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    for (let run = next(false); run !== null; run = next(false)) yield run
  }
  for (let run = next(true); run !== null; run = next(true)) yield run
}

const lineRun = (start: RowStart, bytes: Uint8Array): LineRun => ({ start, bytes, text: decode(bytes) })

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/**
 * Returns the length of the run with which the bytes begin, and where the next one begins, or null when there is none
 * or more bytes are needed to know.
 */
function runEnd(bytes: Uint8Array, isEnd: boolean): { readonly bytes: number; readonly next: number } | null {
  if (bytes.length === 0 || (bytes.length < RUN_BYTES && !isEnd)) return null
  if (bytes.length <= RUN_BYTES && isEnd) return { bytes: bytes.length, next: bytes.length }
  const within = bytes.lastIndexOf(NEWLINE, RUN_BYTES - 1) + 1
  const end = within > 0 ? within : bytes.indexOf(NEWLINE, RUN_BYTES) + 1
  if (end > 0 && end <= LONGEST_LINE + OVERLAP) return { bytes: end, next: end }
  // Pieces of a very long line end where rows end, so that rows are counted on.
  if (bytes.length >= LONGEST_LINE + OVERLAP) {
    const longest = LONGEST_LINE + OVERLAP
    return { bytes: longest, next: lastRowEnd(bytes.subarray(0, longest), LONGEST_LINE) }
  }
  return isEnd ? { bytes: bytes.length, next: bytes.length } : null
}

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
