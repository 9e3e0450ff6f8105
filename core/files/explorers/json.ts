import { type Explorer, Unreadable } from './explorer.ts'
import { JsonTokens } from './json-tokens.ts'
import { describeShape, ShapeCollector, shapeSections } from './shape.ts'
import { article, countOf } from './shown.ts'

/** A file with so many wrong lines, and fewer right ones, is none of records. */
const MOST_WRONG_LINES = 1000
const LINE_FEED = 0x0a

/** One document: its keys, what stands behind them, and how deep it goes. */
export const exploreJson: Explorer = function* (file) {
  const shapes = new ShapeCollector()
  const tokens = new JsonTokens(shapes)
  for (const piece of file.pieces()) {
    tokens.write(Buffer.from(piece))
    if (tokens.error !== null) break
    yield
  }
  tokens.end()
  shapes.closeAll()
  if (shapes.root.count === 0) throw new Unreadable(tokens.error ?? 'it has no value')
  return {
    facts: [
      `${shapes.root.count === 1 ? 'The document is' : `${countOf(shapes.root.count, 'document')} behind each other, each`} ${article(describeShape(shapes.root))}, nested ${tokens.depth} deep.`,
      ...(tokens.error === null ? [] : [`It was read only in part: ${tokens.error}.`]),
    ],
    sections: shapeSections(shapes.root),
  }
}

/** One record a line. */
export const exploreJsonLines: Explorer = function* (file) {
  const shapes = new ShapeCollector()
  const tokens = new JsonTokens(shapes)
  let records = 0
  let wrong = 0
  let isEmpty = true
  const endLine = (): void => {
    tokens.end()
    if (tokens.error === null && !isEmpty) records += 1
    else if (tokens.error !== null) {
      shapes.abandon()
      wrong += 1
    }
    tokens.restart()
    isEmpty = true
  }
  for (const piece of file.pieces()) {
    const bytes = Buffer.from(piece)
    let from = 0
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
      const line = bytes.subarray(from, end)
      isEmpty &&= isBlank(line)
      tokens.write(line)
      endLine()
      from = end + 1
    }
    const rest = bytes.subarray(from)
    isEmpty &&= isBlank(rest)
    tokens.write(rest)
    if (wrong > MOST_WRONG_LINES && wrong > records) throw new Unreadable('most of its lines are no JSON')
    yield
  }
  endLine()
  if (records === 0) throw new Unreadable('no line of it is JSON')
  return {
    facts: [
      `${countOf(records, 'record')}, each ${article(describeShape(shapes.root))}, nested ${tokens.depth} deep.`,
      ...(wrong === 0 ? [] : [`${countOf(wrong, 'line')} ${wrong === 1 ? 'is' : 'are'} not JSON and left out.`]),
    ],
    sections: shapeSections(shapes.root),
  }
}

const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
