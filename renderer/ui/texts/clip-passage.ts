/** The context around the matches of a long passage that is kept. */
const AROUND = 160
const LONGEST = 900

type Clipped = {
  readonly text: string
  readonly matches: readonly (readonly [number, number])[]
}

/** Cuts a passage around its matches to a readable length, and moves the matches accordingly. */
export function clipPassage(text: string, matches: readonly (readonly [number, number])[]): Clipped {
  if (text.length <= LONGEST) return { text, matches }
  const first = Math.min(...matches.map(([from]) => from), text.length)
  const start = matches.length === 0 ? 0 : whole(text, Math.max(0, Math.min(first - AROUND, text.length - LONGEST)))
  const end = whole(text, Math.min(text.length, start + LONGEST))
  const head = start > 0 ? '…' : ''
  const shift = head.length - start
  return {
    text: `${head}${text.slice(start, end)}${end < text.length ? '…' : ''}`,
    matches: matches
      .filter(([from, to]) => to > start && from < end)
      .map(([from, to]) => [Math.max(from, start) + shift, Math.min(to, end) + shift] as const),
  }
}

/** Moves an offset out of a surrogate pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at
}

/** Returns the lines of a passage, which can be searched for in the original text. */
export function linesOfPassage(excerpt: string): readonly string[] {
  return excerpt
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length > 3)
}
