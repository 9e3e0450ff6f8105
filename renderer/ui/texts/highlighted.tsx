import styles from './highlighted.module.css'
import { MarkedText } from './marked-text.tsx'

type Props = {
  readonly text: string
  /** UTF-16 ranges, end exclusive. */
  readonly matches: readonly (readonly [number, number])[]
}

/** Text with parts of it marked. */
export function Highlighted({ text, matches }: Props) {
  return splitSnippet(text, matches).map((part, index) =>
    part.isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never change places
      <mark key={index} className={styles.match}>
        <MarkedText text={part.text} />
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never change places
      <MarkedText key={index} text={part.text} />
    ),
  )
}

/** A part of a snippet. Joined, the parts are the snippet. */
type SnippetPart = { readonly text: string; readonly isMatch: boolean }

/**
 * Splits a snippet at its matches. Ranges are UTF-16 units with exclusive ends; they may touch, overlap, be unordered
 * or exceed the snippet. A range that divides a surrogate pair is widened to the whole character.
 */
export function splitSnippet(snippet: string, matches: readonly (readonly [number, number])[]): readonly SnippetPart[] {
  const parts: SnippetPart[] = []
  let done = 0
  for (const [from, to] of merged(snippet, matches)) {
    if (from > done) parts.push({ text: snippet.slice(done, from), isMatch: false })
    parts.push({ text: snippet.slice(from, to), isMatch: true })
    done = to
  }
  if (done < snippet.length) parts.push({ text: snippet.slice(done), isMatch: false })
  return parts
}

function merged(
  snippet: string,
  matches: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = []
  const whole = matches
    .map(([from, to]): [number, number] => [Math.max(0, from), Math.min(snippet.length, to)])
    .filter(([from, to]) => to > from)
    .map(([from, to]): [number, number] => [
      partsPair(snippet, from) ? from - 1 : from,
      partsPair(snippet, to) ? to + 1 : to,
    ])
    .sort(([a], [b]) => a - b)
  for (const [from, to] of whole) {
    const last = ranges.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else ranges.push([from, to])
  }
  return ranges
}

function partsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
}
