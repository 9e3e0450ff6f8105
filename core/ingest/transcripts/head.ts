import { closeSync, fstatSync, openSync } from 'node:fs'
import { readAt } from '#core/read-at.ts'
import { closeJson } from './close-json.ts'
import { parseObjects } from './json-objects.ts'
import { linesIn, type TextLine } from './line-reader.ts'

/** The beginning of a file, as far as it is needed to recognise the format. */
export type TranscriptHead = {
  readonly path: string
  /** The size of the whole file. */
  readonly bytes: number
  /** The text without a byte order mark. It is decoded when it is asked for, which few formats do. */
  readonly text: string
  /** True when `text` is the whole file. */
  readonly isWhole: boolean
  /** The lines of the file, when `text` is the whole of it. */
  readonly allLines: readonly TextLine[] | null
  /**
   * The first JSON values: one from each line, or the one that spans all lines. The last may be cut where the head
   * ends, and then its open ends are closed. Empty when the file begins with neither an object nor an array.
   */
  readonly values: readonly unknown[]
  /** True when the file, as far as it was read, is a single value. */
  readonly isDocument: boolean
  /** True when every line that is not blank begins as an object or an array does, so that none is Markdown. */
  readonly areJsonLines: boolean
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
    const allLines = linesIn(head)
    const told = { path, bytes: size, isWhole, allLines: isWhole ? allLines : null }
    let decoded: string | null = null
    const text = (): string => {
      decoded ??= head.toString().replace(/^\uFEFF/, '')
      return decoded
    }
    const areJsonLines = allLines.every((line) => /^\s*(?:[{[]|$)/.test(line.text))
    const values = valuesOf(allLines, isWhole, text)
    return {
      ...told,
      ...values,
      areJsonLines,
      get text() {
        return text()
      },
    }
  } finally {
    closeSync(file)
  }
}

type Values = Pick<TranscriptHead, 'values' | 'isDocument' | 'isLastCut' | 'lines'>

const isBlank = ({ text }: TextLine): boolean => text.trim() === ''

function valuesOf(all: readonly TextLine[], isWhole: boolean, text: () => string): Values {
  const values = lineValues(all, isWhole)
  const at = all.findIndex((line) => !isBlank(line))
  const first = all[at]
  if (!first || !/^\s*[{[]/.test(first.text)) return { ...values, isDocument: false }
  const isParsed =
    values.lines?.[0]?.text === first.text ||
    ((first.isEnded || isWhole) && parseObjects(first.text.trimStart()).values.length > 0)
  const rest = all.slice(at + 1)
  if (isParsed) return { ...values, isDocument: isWhole && values.values.length === 1 && rest.every(isBlank) }
  if (first.isEnded && areRecords(rest)) return { ...values, isDocument: false }
  const { value, isCut } = closeJson(text().trimStart())
  if (value === undefined) return { ...values, isDocument: false }
  return { values: [value], isDocument: true, isLastCut: isCut }
}

/** Says whether a broken first line is followed by lines of records, and not by the rest of a document. */
function areRecords(rest: readonly TextLine[]): boolean {
  const judged = rest.slice(0, JUDGED_LINES).filter((line) => !isBlank(line))
  const records = judged.filter(({ text }) => {
    const { values, problem } = text.startsWith('{') ? parseObjects(text) : { values: [], problem: '' }
    return problem === null && values.length > 0
  })
  return records.length > judged.length / 2
}

/** Leaves out broken lines at the beginning and between others, because the rest may still be a transcript. */
function lineValues(all: readonly TextLine[], isWhole: boolean): Omit<Values, 'isDocument'> {
  const values: unknown[] = []
  const lines: ParsedText[] = []
  for (const { text, isEnded } of all) {
    if (!/^\s*[{["]/.test(text)) continue
    const parsed = isEnded || isWhole ? parseObjects(text).values : []
    for (const value of parsed) values.push(value)
    if (parsed.length === 1) lines.push({ text, value: parsed[0] })
    if (parsed.length === 0 && !isEnded) {
      const { value } = closeJson(text.trimStart())
      return { values: value === undefined ? values : [...values, value], isLastCut: value !== undefined, lines }
    }
    if (values.length >= MOST_VALUES) break
  }
  return { values, isLastCut: false, lines }
}
