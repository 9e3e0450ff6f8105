import { plural } from '#core/text.ts'
import type { DecodedFile } from './decoded-file.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { type JsonEvents, JsonReader } from './json-reader.ts'
import { describeShape, ShapeCollector, shapeSections } from './shape.ts'
import { article } from './shown.ts'

/** A file with more wrong lines than this, and fewer right ones, is none of records. */
const MOST_WRONG_LINES = 1000
const BLANK = /^[ \t\r]*$/

/** Reads a document to its end or to an error. Where only a part of the file is read, its end is none. */
export function* readDocument(
  file: DecodedFile,
  events: JsonEvents,
): Generator<void, { readonly error: string | null; readonly depth: number }> {
  const reader = new JsonReader(yield* file.text(), events)
  yield* reader.read()
  const isCut = file.partBytes !== null && reader.isErrorAtEnd
  return { error: isCut ? null : reader.error, depth: reader.depth }
}

/** One document: its keys, what stands behind them, and how deep it goes. */
export const exploreJson: Explorer = function* (file) {
  const shapes = new ShapeCollector()
  const { error, depth } = yield* readDocument(file, shapes)
  shapes.closeAll()
  if (shapes.root.count === 0) throw new Unreadable(error ?? 'it has no value')
  return {
    facts: [
      `${shapes.root.count === 1 ? 'The document is' : `${plural(shapes.root.count, 'document')} behind each other, each`} ${article(describeShape(shapes.root))}, nested ${depth} deep.`,
      ...(error === null ? [] : [`It was read only in part: ${error}.`]),
    ],
    sections: shapeSections(shapes.root),
  }
}

/** One record a line. */
export const exploreJsonLines: Explorer = function* (file) {
  const shapes = new ShapeCollector()
  let [records, wrong, depth] = [0, 0, 0]
  for (const line of (yield* file.text()).split('\n')) {
    yield
    if (BLANK.test(line)) continue
    const reader = new JsonReader(line, shapes)
    yield* reader.read()
    depth = Math.max(depth, reader.depth)
    if (reader.error === null) records += 1
    else {
      shapes.abandon()
      wrong += 1
    }
    if (wrong > MOST_WRONG_LINES && wrong > records) throw new Unreadable('most of its lines are no JSON')
  }
  if (records === 0) throw new Unreadable('no line of it is JSON')
  return {
    facts: [
      `${plural(records, 'record')}, each ${article(describeShape(shapes.root))}, nested ${depth} deep.`,
      ...(wrong === 0 ? [] : [`${plural(wrong, 'line')} ${wrong === 1 ? 'is' : 'are'} not JSON and left out.`]),
    ],
    sections: shapeSections(shapes.root),
  }
}
