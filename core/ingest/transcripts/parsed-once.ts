import type { ParsedText } from './head.ts'
import { parseExactly } from './json-objects.ts'

/** Files up to this size are parsed once, and their records are kept from the first reading to the second. */
const KEPT_BYTES = 4 * 1024 * 1024

type Parse = (text: string) => unknown

/**
 * Gives the parsers of both readings of a file. Each returns what was made of the same text before, when the file was
 * recognised or read for the first time, so that only what was written meanwhile is parsed. Returns undefined for a file
 * that is too large.
 * @param begun the first lines of the file
 */
export function parsedOnce(
  bytes: number,
  begun: readonly ParsedText[] = [],
): Readonly<Record<'looking' | 'storing', Parse>> | undefined {
  if (bytes > KEPT_BYTES) return undefined
  const kept: ParsedText[] = []
  const look = memory(begun)
  const store = memory(kept)
  return {
    looking: (text) => {
      const value = look(text)
      kept.push({ text, value })
      return value
    },
    storing: store,
  }
}

/** Returns the values of texts that come again in their order, and parses others. */
function memory(known: readonly ParsedText[]): Parse {
  let next = 0
  return (text) => {
    const one = known[next]
    if (one?.text !== text) return parseExactly(text)
    next += 1
    return one.value
  }
}
