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
  const open: string[] = []
  const places: Place[] = []
  const mark = (end: number): void => {
    places.push({ end, closers: open.toReversed().join('') })
    if (places.length > 2 * PLACES) places.splice(1, PLACES)
  }
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index]
    if (char === '"') {
      index = endOfString(text, index)
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']')
      if (open.length > DEEPEST) break
      mark(index + 1)
    } else if (char === '}' || char === ']') {
      open.pop()
      mark(index + 1)
      if (open.length === 0) break
    } else if (char === ',') {
      mark(index)
    }
  }
  return places
}

function endOfString(text: string, open: number): number {
  for (let index = open + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1
    else if (text[index] === '"') return index
  }
  return text.length
}
