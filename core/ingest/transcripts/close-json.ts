import { endOfString } from './json-objects.ts'

/** `value` is what the JSON text begins with. `isCut` says whether something of it was left out. */
export type ClosedJson = { readonly value: unknown; readonly isCut: boolean }

/** Values are closed down to this depth only. */
const DEEPEST = 1000
/** Only the last so many places of the text are tried as its end. */
const PLACES = 4096

/**
 * Parses JSON text that is cut off or broken somewhere. The result holds what is complete before that point, with the
 * open objects and arrays closed.
 * Returns `undefined` when the text does not begin as JSON does.
 */
export function closeJson(text: string): ClosedJson {
  const places = safePlaces(text)
  let before = Number.POSITIVE_INFINITY
  // Each failure names a place further to the left.
  for (let tries = 0; tries < 4; tries += 1) {
    const place = places.findLast(({ end }) => end < before)
    if (!place) break
    const candidate = text.slice(0, place.end) + place.closers
    try {
      return { value: JSON.parse(candidate), isCut: place.closers !== '' }
    } catch (error) {
      const position = Number(/position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1])
      before = Math.min(place.end, Number.isNaN(position) ? place.end : position)
    }
  }
  return { value: undefined, isCut: true }
}

type Place = { readonly end: number; readonly closers: string }

/** Finds the last places after which the text may be cut, each with the characters that close everything open there. */
function safePlaces(text: string): Place[] {
  // For each depth, the characters that close everything open there. They are kept for all depths, because making them
  // again at every place took most of the time in a deeply nested text.
  const closers = ['']
  const places: Place[] = []
  const mark = (end: number): void => {
    places.push({ end, closers: closers.at(-1) ?? '' })
    if (places.length > 2 * PLACES) places.splice(1, PLACES)
  }
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index]
    if (char === '"') {
      index = endOfString(text, index)
    } else if (char === '{' || char === '[') {
      if (closers.length > DEEPEST) break
      closers.push((char === '{' ? '}' : ']') + closers.at(-1))
      mark(index + 1)
    } else if (char === '}' || char === ']') {
      if (closers.length > 1) closers.pop()
      mark(index + 1)
      if (closers.length === 1) break
    } else if (char === ',') {
      mark(index)
    }
  }
  return places
}
