export type ParsedLine = {
  /** The values in their order on the line, usually one. */
  readonly values: readonly unknown[]
  /** Says why some or all of the line could not be used. It never quotes the line. */
  readonly problem: string | null
}

/**
 * Reads the JSON values of one line. Writers that append at the same time leave two objects on one line. Both are read,
 * and an object that is cut off is skipped alone.
 * @param parse parses one value; by default numbers keep their spelling
 */
export function parseObjects(line: string, parse: (text: string) => unknown = parseExactly): ParsedLine {
  if (line.includes('\0')) return parseBesideZeros(line, parse)
  try {
    return { values: [parse(line)], problem: null }
  } catch (error) {
    const { pieces, isWhole } = cutObjects(line)
    const values: unknown[] = []
    for (const piece of pieces) {
      try {
        values.push(parse(piece))
      } catch (pieceError) {
        return { values, problem: describe(pieceError, piece) }
      }
    }
    return { values, problem: isWhole ? null : describe(error, line) }
  }
}

/** A loss of power may leave zeros in the place of the rest of a record. The next record follows on the same line. */
function parseBesideZeros(line: string, parse: (text: string) => unknown): ParsedLine {
  const pieces = line.split(/\0+/).filter((piece) => piece.trim() !== '')
  const parsed = pieces.map((piece) => parseObjects(piece, parse))
  const isWhole = parsed.length > 0 && parsed.every(({ problem }) => problem === null)
  return { values: parsed.flatMap(({ values }) => values), problem: isWhole ? null : CUT_OFF }
}

const CUT_OFF = 'not valid JSON: the line is cut off'

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown
type RawJson = { rawJSON(text: string): unknown; parse(text: string, reviver: Reviver): unknown }
// TypeScript's library does not know these yet. https://tc39.es/proposal-json-parse-with-source/
const sourceJson = JSON as unknown as RawJson

// Matches numbers that JavaScript would write differently: with too many digits, a zero at the end, or an exponent.
// The digit is looked for first: long texts are full of commas. Where 16 digits follow a point, what follows them is not
// looked at: a text with many thousand digits would be read again from each of them.
const delicateNumber = /[:,[]\s*-?\d(?:\d{15,}|\d*\.(?:\d{16,}|\d*0\s*[,}\]])|\d*(?:\.\d+)?[eE][+-]?\d)/
const isNumber = /^\s*-?\d/

/** Parses JSON, but numbers that JavaScript cannot write back unchanged keep their spelling for JSON.stringify. */
export function parseExactly(text: string): unknown {
  if (!delicateNumber.test(text) && !isNumber.test(text)) return JSON.parse(text)
  return sourceJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? sourceJson.rawJSON(source) : value,
  )
}

/** Cuts out the text of each `{…}` at the top level, and says whether only white space stands around them. */
function cutObjects(line: string): { pieces: string[]; isWhole: boolean } {
  const pieces: string[] = []
  let depth = 0
  let from = 0
  let isWhole = true
  for (let index = 0; index < line.length; index += 1) {
    const char = line[index]
    if (char === '{') {
      if (depth === 0) from = index
      depth += 1
    } else if (depth === 0) {
      if (char !== ' ' && char !== '\t' && char !== '\r') isWhole = false
    } else if (char === '"') {
      index = endOfString(line, index)
    } else if (char === '}') {
      depth -= 1
      if (depth === 0) pieces.push(line.slice(from, index + 1))
    }
  }
  return { pieces, isWhole: isWhole && depth === 0 }
}

/** Returns the place of the quote that ends a string of JSON, or the end of the text. `open` is that of its first quote. */
export function endOfString(text: string, open: number): number {
  for (let index = open + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1
    else if (text[index] === '"') return index
  }
  return text.length
}

function describe(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : ''
  const position = Number(/position (\d+)/.exec(message)?.[1])
  if (/^Unexpected end|^Unterminated/.test(message) || position >= text.length) {
    return CUT_OFF
  }
  return Number.isNaN(position) ? 'not valid JSON' : `not valid JSON at character ${position + 1}`
}
