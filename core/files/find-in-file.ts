import { RE2JS, RE2JSSyntaxException } from 're2js'
import type { FileContent, FileHit, FileView } from '../contract/file.ts'
import { LcmError } from '../errors.ts'
import { TimeSlice } from '../yielding.ts'
import { markBefore, type RowMark } from './file-index.ts'
import { rowEnds } from './row-ends.ts'
import { filePieces } from './stored-path.ts'

type Search = Extract<FileView, { kind: 'search' }>
type Span = readonly [number, number]

const NEWLINE = 10
/** Lines are looked through as a whole up to here; a longer one in pieces that overlap. */
const LONGEST_LINE = 1 << 20
const OVERLAP = 4096
/** What is shown of a line before and after a hit. */
const AROUND = 120

/** The first hit of each row from a row on, in the order of the file. */
export async function findInFile(
  realPath: string,
  marks: readonly RowMark[],
  { query, isRegex, matchCase, fromRow, limit }: Search,
  signal: AbortSignal,
): Promise<Pick<FileContent, 'hits' | 'next'>> {
  const find = isRegex ? findRegex(query, matchCase) : findLiteral(query, matchCase)
  const slice = new TimeSlice(signal)
  const start = markBefore(marks, fromRow, ({ row }) => row)
  const hits: FileHit[] = []
  let position = { row: start.row, line: start.line }
  let lastRow = fromRow - 1
  for (const { bytes, skipped } of lineRuns(realPath, start.offset)) {
    const text = decode(bytes)
    const places = new RowPlaces(bytes, position)
    let [from, offset] = [0, 0]
    for (const span of find(text)) {
      offset += Buffer.byteLength(text.slice(from, span[0]))
      from = span[0]
      const { row, line } = places.of(offset)
      if (row <= lastRow) continue
      if (hits.length === limit) return { hits, next: row }
      lastRow = row
      hits.push({ row, line, ...excerptOf(text, span) })
    }
    position = endOf(bytes.subarray(0, bytes.length - skipped), position)
    await slice.yieldIfOver()
  }
  return { hits, next: null }
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

type Run = {
  readonly bytes: Uint8Array
  /** Bytes at its end that the next run begins with. */
  readonly skipped: number
}

/** Whole lines, about a megabyte at a time. A line that is longer comes in pieces. */
function* lineRuns(realPath: string, from: number): Generator<Run> {
  let rest: Uint8Array = new Uint8Array()
  let toSkip = from
  for (const piece of filePieces(realPath)) {
    if (toSkip >= piece.length) {
      toSkip -= piece.length
      continue
    }
    const bytes = Buffer.concat([rest, piece.subarray(toSkip)])
    toSkip = 0
    const end = bytes.lastIndexOf(NEWLINE) + 1
    if (end > 0) {
      yield { bytes: bytes.subarray(0, end), skipped: 0 }
      rest = bytes.subarray(end)
    } else if (bytes.length > LONGEST_LINE + OVERLAP) {
      // Pieces end where rows end, so that rows are counted on.
      const cut = lastRowEnd(bytes, bytes.length - OVERLAP)
      yield { bytes, skipped: bytes.length - cut }
      rest = bytes.subarray(cut)
    } else rest = bytes
  }
  if (rest.length > 0) yield { bytes: rest, skipped: 0 }
}

function lastRowEnd(bytes: Uint8Array, before: number): number {
  let last = 0
  for (const end of rowEnds(bytes, false)) {
    if (end > before) break
    last = end
  }
  return last
}

type Place = { readonly row: number; readonly line: number }

/** Says of offsets that only grow in which row and line they are. */
class RowPlaces {
  readonly #bytes: Uint8Array
  readonly #ends: Generator<number>
  #place: Place
  #end = 0

  constructor(bytes: Uint8Array, start: Place) {
    this.#bytes = bytes
    this.#ends = rowEnds(bytes, true)
    this.#place = start
    this.#end = this.#ends.next().value ?? bytes.length
  }

  of(offset: number): Place {
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

function endOf(bytes: Uint8Array, { row, line }: Place): Place {
  let [rows, lines] = [row, line]
  for (const end of rowEnds(bytes, true)) {
    rows += 1
    if (bytes[end - 1] === NEWLINE) lines += 1
  }
  return { row: rows, line: lines }
}

function excerptOf(text: string, [start, end]: Span): Pick<FileHit, 'excerpt' | 'match'> {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const lineBreak = text.indexOf('\n', start)
  const from = Math.max(lineStart, start - AROUND)
  const to = Math.min(lineBreak < 0 ? text.length : lineBreak, Math.max(end, start) + AROUND, start + 4 * AROUND)
  const excerpt = text.slice(from, to).replace(/\r$/, '').toWellFormed()
  return { excerpt, match: [start - from, Math.min(end - from, excerpt.length)] }
}

/** Without regard to case unless asked; characters are compared one by one. */
function findLiteral(query: string, matchCase: boolean): (text: string) => Iterable<Span> {
  const pattern = new RegExp(RegExp.escape(query), matchCase ? 'g' : 'gi')
  return function* (text) {
    for (const found of text.matchAll(pattern)) yield [found.index, found.index + found[0].length]
  }
}

/** In time linear to the text. */
function findRegex(query: string, matchCase: boolean): (text: string) => Iterable<Span> {
  const pattern = compile(query, matchCase)
  return function* (text) {
    const matcher = pattern.matcher(text)
    while (matcher.find()) yield [matcher.start(), matcher.end()]
  }
}

function compile(query: string, matchCase: boolean): RE2JS {
  try {
    return RE2JS.compile(query, RE2JS.MULTILINE | (matchCase ? 0 : RE2JS.CASE_INSENSITIVE))
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    const what = error.message.replace(/^error parsing regexp: /, '')
    throw new LcmError('invalid_argument', `The pattern is not a regular expression of RE2: ${what}.`, undefined, {
      cause: error,
    })
  }
}
