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
}

const HEAD_BYTES = 256 * 1024
/** For files whose first records are larger than a head: pictures, whole files in a tool result. */
export const LONG_HEAD_BYTES = 8 * 1024 * 1024
const MOST_VALUES = 200

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

function valuesOf(text: string, isWhole: boolean): Pick<TranscriptHead, 'values' | 'isDocument'> {
  const start = text.search(/\S/)
  if (start === -1 || !/[{["]/.test(text.charAt(start))) return laterValues(text)
  const end = text.indexOf('\n', start)
  const first = end === -1 ? text.slice(start) : text.slice(start, end)
  const isComplete = end !== -1 || isWhole
  const parsed = isComplete ? parseObjects(first) : { values: [], problem: 'cut' }
  if (parsed.problem === null || parsed.values.length > 0) {
    const values = lineValues(text)
    return {
      values,
      isDocument: values.length === 1 && (isWhole ? text.slice(end).trim() === '' || end === -1 : false),
    }
  }
  const value = closeJson(text.slice(start))
  return value === undefined ? laterValues(text) : { values: [value], isDocument: true }
}

/** The first line is no JSON: it may be broken, and the rest a transcript all the same. */
function laterValues(text: string): Pick<TranscriptHead, 'values' | 'isDocument'> {
  return { values: lineValues(text), isDocument: false }
}

function lineValues(text: string): unknown[] {
  const values: unknown[] = []
  for (let from = 0; from < text.length && values.length < MOST_VALUES; ) {
    const end = text.indexOf('\n', from)
    const line = end === -1 ? text.slice(from) : text.slice(from, end)
    from = end === -1 ? text.length : end + 1
    if (!/^\s*[{["]/.test(line)) continue
    const parsed = parseObjects(line)
    if (parsed.values.length === 0 && end === -1)
      values.push(...[closeJson(line.trimStart())].filter((value) => value !== undefined))
    else values.push(...parsed.values)
  }
  return values
}
