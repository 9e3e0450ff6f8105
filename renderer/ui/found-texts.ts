import type { QueryClient } from '@tanstack/react-query'

const keyOf = (id: string) => ['found', id] as const

/** Keeps the texts that a search found in a message or summary, to mark them when it is opened. */
export function keepFoundTexts(queries: QueryClient, id: string, texts: readonly string[]): void {
  queries.setQueryData(
    keyOf(id),
    [...new Set(texts)].filter((text) => text.trim() !== ''),
  )
}

/** Returns the texts that were found in a message or summary. */
export const foundTexts = (queries: QueryClient, id: string): readonly string[] =>
  queries.getQueryData<readonly string[]>(keyOf(id)) ?? []

/**
 * Returns where the texts occur in a run of text, with the same case, in order, each as `[from, to)`. The `…` of a
 * shortened text does not count.
 */
export function findAllExactly(
  run: string,
  texts: readonly string[],
  most: number,
): readonly (readonly [number, number])[] {
  const occurrences: [number, number][] = []
  for (const text of texts) {
    const wanted = text.replace(/^…|…$/g, '')
    if (wanted === '') continue
    for (
      let at = run.indexOf(wanted);
      at >= 0 && occurrences.length < most;
      at = run.indexOf(wanted, at + wanted.length)
    )
      occurrences.push([at, at + wanted.length])
  }
  return occurrences.sort(([a], [b]) => a - b)
}
