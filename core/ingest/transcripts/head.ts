import { closeSync, fstatSync, openSync } from 'node:fs'
import { readAt } from '../../read-at.ts'
import { closeJson } from './close-json.ts'
import { parseObjects } from './json-objects.ts'

/** The beginning of a file, as far as it is needed to recognise the format. */
export type TranscriptHead = {
  readonly path: string
  /** The size of the whole file. */
  readonly bytes: number
  /** The text without a byte order mark. */
  readonly text: string
  /** True when `text` is the whole file. */
  readonly isWhole: boolean
  /**
   * The first JSON values: one from each line, or the one that spans all lines. The last may be cut where the head
   * ends, and then its open ends are closed. Empty when the file begins with neither an object nor an array.
   */
  readonly values: readonly unknown[]
  /** True when the file, as far as it was read, is a single value. */
  readonly isDocument: boolean
  /** True when the last value is incomplete, because the head or the file ends in it. */
  readonly isLastCut: boolean
  /** The lines that are one value, which the first reading of the file need not parse again. */
  readonly lines?: readonly ParsedText[]
}

export type ParsedText = { readonly text: string; readonly value: unknown }

const HEAD_BYTES = 256 * 1024
/**
 * The head of a file whose first records are larger than a normal head, such as pictures or whole files in a tool
 * result.
 */
export const LONG_HEAD_BYTES = 8 * 1024 * 1024
const MOST_VALUES = 200
const JUDGED_LINES = 20

/** Reads the beginning of a file. @throws NodeJS.ErrnoException */
export function readHead(path: string, longest = HEAD_BYTES): TranscriptHead {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const head = readAt(file, 0, Math.min(longest, size))
    const isWhole = head.length >= size
    const text = head.toString().replace(/^\uFEFF/, '')
    return { path, bytes: size, text, isWhole, ...valuesOf(text, isWhole) }
  } finally {
    closeSync(file)
  }
}

type Values = Pick<TranscriptHead, 'values' | 'isDocument' | 'isLastCut' | 'lines'>

function valuesOf(text: string, isWhole: boolean): Values {
  const start = text.search(/\S/)
  const lines = lineValues(text, isWhole)
  if (start === -1 || !/[{[]/.test(text.charAt(start))) return { ...lines, isDocument: false }
  const end = text.indexOf('\n', start)
  const isOneLine = end === -1 || text.slice(end).trim() === ''
  const first = end === -1 ? text.slice(start) : text.slice(start, end)
  const isParsed = (end !== -1 || isWhole) && parseObjects(first).values.length > 0
  if (isParsed) return { ...lines, isDocument: isOneLine && isWhole && lines.values.length === 1 }
  if (end !== -1 && areRecords(text.slice(end + 1))) return { ...lines, isDocument: false }
  const { value, isCut } = closeJson(text.slice(start))
  if (value === undefined) return { ...lines, isDocument: false }
  return { values: [value], isDocument: true, isLastCut: isCut }
}

/** Says whether a broken first line is followed by lines of records, and not by the rest of a document. */
function areRecords(rest: string): boolean {
  const whole = rest
    .split('\n', JUDGED_LINES + 1)
    .slice(0, JUDGED_LINES)
    .filter((line) => line.trim() !== '')
  const records = whole.filter((line) => {
    const { values, problem } = line.startsWith('{') ? parseObjects(line) : { values: [], problem: '' }
    return problem === null && values.length > 0
  })
  return records.length > whole.length / 2
}

/** Leaves out broken lines at the beginning and between others, because the rest may still be a transcript. */
function lineValues(text: string, isWhole: boolean): Omit<Values, 'isDocument'> {
  const values: unknown[] = []
  const lines: ParsedText[] = []
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    const line = end === -1 ? text.slice(from) : text.slice(from, end)
    from = end === -1 ? text.length : end + 1
    if (!/^\s*[{["]/.test(line)) continue
    const parsed = end === -1 && !isWhole ? [] : parseObjects(line).values
    values.push(...parsed)
    if (parsed.length === 1) lines.push({ text: line, value: parsed[0] })
    if (parsed.length === 0 && end === -1) {
      const { value } = closeJson(line.trimStart())
      return { values: value === undefined ? values : [...values, value], isLastCut: value !== undefined, lines }
    }
    if (values.length >= MOST_VALUES) break
  }
  return { values, isLastCut: false, lines }
}
