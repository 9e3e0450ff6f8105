import { RE2JS, RE2JSSyntaxException } from 're2js'
import type { FileContent, FileHit, FileView } from '../contract/file.ts'
import { LcmError } from '../errors.ts'
import { TimeSlice } from '../yielding.ts'
import { markBefore, type RowMark } from './file-index.ts'
import { lineRuns, RowPlaces } from './line-runs.ts'

type Search = Extract<FileView, { kind: 'search' }>
type Span = readonly [number, number]

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
  let lastRow = fromRow - 1
  for (const run of lineRuns(realPath, start)) {
    const { text } = run
    const places = new RowPlaces(run)
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
    await slice.yieldIfOver()
  }
  return { hits, next: null }
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
