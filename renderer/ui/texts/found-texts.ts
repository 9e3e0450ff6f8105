import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query'
import type { GrepHit, GrepRequest } from '#core/contract/retrieval.ts'

/** What was found in a message, summary or file, to mark it when that is opened. */
export type FoundTexts = {
  /** The very texts that were found. */
  readonly texts: readonly string[]
  /** The search that found them, and finds more of them in the whole text. Null when something else did. */
  readonly search: GrepRequest | null
  /** The text of the message in which they stand. */
  readonly field: GrepHit['field']
}

const keyOf = (id: string | null) => ['found', id] as const

/** Keeps what was found in a message, summary or file. */
export function keepFound(queries: QueryClient, id: string, { texts, ...found }: FoundTexts): void {
  const unique = [...new Set(texts)].filter((text) => text.trim() !== '')
  queries.setQueryData<FoundTexts>(keyOf(id), { ...found, texts: unique })
}

/** Returns what was found last in a message, summary or file. */
export function useFound(id: string | null): FoundTexts | null {
  return useQuery<FoundTexts>({ queryKey: keyOf(id), queryFn: skipToken }).data ?? null
}

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
