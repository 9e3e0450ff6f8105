import { parsedJson } from '#core/parsed-json.ts'

const DEEPEST_TEXT = 100
/** Shorter strings are text only in a field that is named after text. */
const SHORTEST_TEXT = 20
const textFields: ReadonlySet<string> = new Set(['text', 'content', 'thinking', 'parts', 'body', 'prompt', 'output'])
/** Fields of an envelope, which are no words of the conversation. */
const envelopeField = /^(?:cwd|directory|model|version|slug|title|.*(?:path|branch|id|uuid|url|mime|time|timestamp))$/i
/** Ids, times, addresses and bytes as text. */
const isName = (text: string): boolean => /^[\w.:+/=@#~-]*$/.test(text)

/** A text of a record, and the fields that lead to it: `message.content[].text`. */
export type TextLeaf = { readonly field: string; readonly text: string }

/**
 * Gives the texts in a value of unknown shape, without ids, times and what else an envelope has, and without those that
 * the format leaves out by design. Arguments and results that are JSON as text are looked into.
 */
export const textLeaves = (value: unknown, asides?: RegExp): Generator<TextLeaf> =>
  leaves(value, (text, name, path) => isText(text, name) && !asides?.test(`${path}: ${text.slice(0, 100)}`))

type IsWanted = (text: string, name: string, path: string) => boolean

function* leaves(value: unknown, isWanted: IsWanted, path = '', name = '', depth = 0): Generator<TextLeaf> {
  if (depth > DEEPEST_TEXT) return
  if (typeof value === 'string') {
    const inside = [...leaves(jsonIn(value), isWanted, path, name, depth + 1)]
    if (inside.length > 0) yield* inside
    else if (isWanted(value, name, path)) yield { field: path, text: value }
  } else if (Array.isArray(value)) {
    for (const item of value) yield* leaves(item, isWanted, `${path}[]`, name, depth + 1)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value))
      yield* leaves(inner, isWanted, path === '' ? key : `${path}.${key}`, key, depth + 1)
  }
}

/** Returns undefined for a text that is neither a JSON object nor an array. */
const jsonIn = (text: string): unknown => (/^\s*[{[]/.test(text) ? parsedJson(text) : undefined)

export const textsIn = (value: unknown, asides?: RegExp): string[] =>
  Array.from(textLeaves(value, asides), ({ text }) => text)

/** Gives all texts of a block of unknown shape. Several words are a text here in any field, also in one named `title`. */
export const textsInBlock = (block: unknown): string[] =>
  Array.from(
    leaves(block, (text, name) => isText(text, name) || (/\S\s+\S/.test(text) && !text.startsWith('data:'))),
    ({ text }) => text,
  )

/** Says whether a string of a record is words, and no id, time, path or address, nor bytes as text. */
function isText(text: string, field: string): boolean {
  if (text.trim() === '' || text.startsWith('data:')) return false
  return textFields.has(field) || (text.length > SHORTEST_TEXT && !envelopeField.test(field) && !isName(text))
}
