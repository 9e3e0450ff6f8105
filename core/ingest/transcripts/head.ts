import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { closeJson } from './close-json.ts'
import { parseObjects } from './json-objects.ts'

/** The beginning of a file, as far as recognising its format needs it. */
export type TranscriptHead = {
  readonly path: string
  /** Of the whole file. */
  readonly bytes: number
  /** Without a byte order mark. */
  readonly text: string
  /** `text` is the whole file. */
  readonly isWhole: boolean
  /**
   * The first JSON values: of the lines, or the one that spans them. The last may be cut where the head ends; then its
   * open ends are closed. Empty when the file does not begin with an object or array.
   */
  readonly values: readonly unknown[]
  /** One value makes up the file (or all that was read of it). */
  readonly isDocument: boolean
  /** The last value is not all there: the head ends in it, or the file is cut off. */
  readonly isLastCut: boolean
}

const HEAD_BYTES = 256 * 1024
/** For files whose first records are larger than a head: pictures, whole files in a tool result. */
export const LONG_HEAD_BYTES = 8 * 1024 * 1024
const MOST_VALUES = 200
const JUDGED_LINES = 20

/** Reads the beginning of a file. @throws NodeJS.ErrnoException */
export function readHead(path: string, longest = HEAD_BYTES): TranscriptHead {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const buffer = Buffer.alloc(Math.min(longest, size))
    let count = 0
    while (count < buffer.length) {
      const read = readSync(file, buffer, count, buffer.length - count, count)
      if (read === 0) break
      count += read
    }
    const text = buffer.toString('utf8', 0, count).replace(/^\uFEFF/, '')
    return { path, bytes: size, text, isWhole: count >= size, ...valuesOf(text, count >= size) }
  } finally {
    closeSync(file)
  }
}

type Values = Pick<TranscriptHead, 'values' | 'isDocument' | 'isLastCut'>

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

/** Whether a first line that is broken is followed by lines of records, not by the rest of a document. */
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

/** Lines before and between that are broken are left out: the rest may be a transcript all the same. */
function lineValues(text: string, isWhole: boolean): Omit<Values, 'isDocument'> {
  const values: unknown[] = []
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    const line = end === -1 ? text.slice(from) : text.slice(from, end)
    from = end === -1 ? text.length : end + 1
    if (!/^\s*[{["]/.test(line)) continue
    const parsed = end === -1 && !isWhole ? [] : parseObjects(line).values
    values.push(...parsed)
    if (parsed.length === 0 && end === -1) {
      const { value } = closeJson(line.trimStart())
      return { values: value === undefined ? values : [...values, value], isLastCut: value !== undefined }
    }
    if (values.length >= MOST_VALUES) break
  }
  return { values, isLastCut: false }
}
