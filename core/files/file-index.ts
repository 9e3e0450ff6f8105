import { startSha256 } from '../hashing.ts'
import { TimeSlice } from '../yielding.ts'
import { rowEnds } from './row-ends.ts'
import { filePieces } from './stored-path.ts'

/** One of this many rows is remembered. */
const EVERY = 256
const NEWLINE = 10

/** Where rows and lines of a file begin, and what the file holds. */
export type FileIndex = {
  readonly bytes: number
  readonly hash: string
  readonly rows: number
  readonly lines: number
  readonly isText: boolean
  /** Of every `EVERY`th row: its offset, and its line, of which `isLineStart` says if it begins there. */
  readonly marks: readonly RowMark[]
}

export type RowMark = {
  readonly row: number
  readonly offset: number
  readonly line: number
  readonly isLineStart: boolean
}

/** Reads a file once, in pieces, from its beginning to its end. */
export async function buildIndex(realPath: string, signal: AbortSignal): Promise<FileIndex> {
  const slice = new TimeSlice(signal)
  const hash = startSha256()
  const marks: RowMark[] = []
  let [bytes, row, line, offset] = [0, 0, 1, 0]
  let isLineStart = true
  let isText = true
  let rest: Uint8Array = new Uint8Array()
  const take = (piece: Uint8Array, isEnd: boolean): void => {
    let start = 0
    for (const end of rowEnds(piece, isEnd)) {
      if (row % EVERY === 0) marks.push({ row, offset: offset + start, line, isLineStart })
      row += 1
      isLineStart = piece[end - 1] === NEWLINE
      if (isLineStart) line += 1
      start = end
    }
    offset += start
    rest = piece.subarray(start)
  }
  for (const piece of filePieces(realPath)) {
    hash.update(piece)
    bytes += piece.length
    if (isText && piece.includes(0)) isText = false
    take(rest.length === 0 ? piece : Buffer.concat([rest, piece]), false)
    await slice.yieldIfOver()
  }
  take(rest, true)
  return { bytes, hash: hash.digest('hex'), rows: row, lines: isLineStart ? line - 1 : line, isText, marks }
}

/** The last mark at or before a place, of which `placeOf` says where a mark stands. */
export function markBefore(marks: readonly RowMark[], place: number, placeOf: (mark: RowMark) => number): RowMark {
  let [low, high] = [0, marks.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const mark = marks[middle]
    if (mark && placeOf(mark) <= place) low = middle
    else high = middle - 1
  }
  return marks[low] ?? { row: 0, offset: 0, line: 1, isLineStart: true }
}
