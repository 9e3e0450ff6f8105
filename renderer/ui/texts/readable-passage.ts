export type Passage = {
  readonly text: string
  /** UTF-16 ranges, end exclusive. */
  readonly matches: readonly (readonly [number, number])[]
}

/** What is written for a machine in each kind of text, and what a reader sees in its place. */
const SIGNS = {
  // Two stars are a sign only around words: in a pattern of paths or in code they mean something.
  prose: {
    found: /(?<![^\s(…])\*\*(?=[^\s*/][^*\n]*\*\*)|(?<=\*\*[^*\n]*[^\s*/])\*\*(?![^\s.,:;!?)…])|(?<=^|…|\s)#{1,6}\s+/g,
    shown: () => '',
  },
  json: { found: /\\\\|(?:\\[nrt])+|\\"/g, shown: (sign: string) => (/^\\[nrt]/.test(sign) ? ' ' : sign.slice(1)) },
} as const

/** Takes signs of Markdown out of prose, and escapes out of JSON. Signs in a match were searched for, so they stay. */
export function readable({ text, matches }: Passage, kind: 'prose' | 'json' | 'code'): Passage {
  if (kind === 'code') return { text, matches }
  const { found, shown } = SIGNS[kind]
  const changes = [...text.matchAll(found)]
    .map((sign) => ({ from: sign.index, to: sign.index + sign[0].length, by: shown(sign[0]) }))
    .filter(({ from, to }) => !matches.some(([start, end]) => from < end && to > start))
  const moved = (at: number): number =>
    changes.reduce((sum, { from, to, by }) => (to <= at ? sum + by.length - (to - from) : sum), at)
  let done = 0
  let written = ''
  for (const { from, to, by } of changes) {
    written += text.slice(done, from) + by
    done = to
  }
  return { text: written + text.slice(done), matches: matches.map(([start, end]) => [moved(start), moved(end)]) }
}
