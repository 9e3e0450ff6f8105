import type { QueryClient } from '@tanstack/react-query'

const keyOf = (id: string) => ['found', id] as const

/** Texts that were looked for are marked where they stand once their message or summary is opened. */
export function keepFoundTexts(queries: QueryClient, id: string, texts: readonly string[]): void {
  queries.setQueryData(
    keyOf(id),
    [...new Set(texts)].filter((text) => text.trim() !== ''),
  )
}

/** What was found in a message or summary; empty when nobody looked for anything in it. */
export const foundTexts = (queries: QueryClient, id: string): readonly string[] =>
  queries.getQueryData<readonly string[]>(keyOf(id)) ?? []

/**
 * Places of the texts in one run of text, in order, each as `[from, to)`. A text that was shortened with `…` at its ends
 * counts without them.
 */
export function placesOf(run: string, texts: readonly string[], most: number): readonly (readonly [number, number])[] {
  const places: [number, number][] = []
  for (const text of texts) {
    const wanted = text.replace(/^…|…$/g, '')
    if (wanted === '') continue
    for (let at = run.indexOf(wanted); at >= 0 && places.length < most; at = run.indexOf(wanted, at + wanted.length))
      places.push([at, at + wanted.length])
  }
  return places.sort(([a], [b]) => a - b)
}
