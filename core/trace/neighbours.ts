import type { Passage } from '../provenance/comparison.ts'
import type { Occurrence } from '../provenance/passages.ts'
import type { Specific } from '../provenance/specifics.ts'
import { type Claim, tellingIn, termKey } from '../provenance/vocabulary.ts'

/** The informative words directly before and after a value, as they are compared. */
export type Neighbours = { readonly before: string | null; readonly after: string | null }

/** How many characters may stand between a value and the word that it belongs to. */
const FAR = 16

export const isBeside = (own: Neighbours, other: Neighbours): boolean =>
  (own.before !== null && own.before === other.before) || (own.after !== null && own.after === other.after)

/**
 * Returns the words around a specific in its own sentence, whose terms are its informative words.
 * @param keys the form by which each term is compared, by the number of the term
 */
export function neighboursInClaim({ terms }: Claim, { start, end }: Specific, keys: readonly string[]): Neighbours {
  const before = terms.findLast((term) => term.end <= start)
  const after = terms.find((term) => term.start >= end)
  return {
    before: before && start - before.end <= FAR ? (keys[before.term] ?? null) : null,
    after: after && after.start - end <= FAR ? (keys[after.term] ?? null) : null,
  }
}

/** Returns the words around a range of a passage. */
export function neighboursIn(
  { text, telling }: Pick<Passage, 'text' | 'telling'>,
  start: number,
  end: number,
): Neighbours {
  const before = telling.findLast((token) => token.end <= start)
  const after = telling.find((token) => token.start >= end)
  return {
    before: before && start - before.end <= FAR ? termKey(before, text) : null,
    after: after && after.start - end <= FAR ? termKey(after, text) : null,
  }
}

/** An index gives the same places to everybody who asks for the same value. */
const known = new WeakMap<Occurrence, Neighbours>()

/** Returns the words around a place in a text, of which only what is near is read. */
export function neighboursOf(place: Occurrence, text: string): Neighbours {
  const read = known.get(place)
  if (read) return read
  const from = Math.max(0, place.start - 4 * FAR)
  const near = text.slice(from, place.end + 4 * FAR)
  const found = neighboursIn({ text: near, telling: tellingIn(near) }, place.start - from, place.end - from)
  known.set(place, found)
  return found
}
