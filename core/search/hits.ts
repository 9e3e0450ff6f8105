import type { GrepHit } from '../contract/retrieval.ts'
import { FoundText } from './found-text.ts'
import type { Corpus } from './indexes/corpus.ts'
import type { SummaryCorpus } from './indexes/summary-corpus.ts'
import { type Placed, rowOf } from './orders/hit-order.ts'
import type { ScoreParts } from './orders/ranking.ts'
import type { Fields, Matcher } from './query/matcher.ts'
import { snippetOf } from './snippet.ts'

/** What decided about the hits of a page. */
export type Found = {
  readonly matcher: Matcher
  /** Returns whether a row has only some of the words, and which of them. */
  readonly partOf: (fields: Fields) => { readonly isPartial: boolean; readonly words?: string[] }
  /** Returns why a hit ranks where it does, when that is asked for. */
  readonly explain: (hit: Placed) => ScoreParts | undefined
}

/**
 * Returns what a list shows of the hits, in their order. Rows that were deleted meanwhile are left out.
 * @param summaries the corpus from which the texts of covering summaries are read
 */
export async function hitsOf(
  page: readonly Placed[],
  { matcher, partOf, explain }: Found,
  summaries: Pick<SummaryCorpus, 'folded'>,
): Promise<GrepHit[]> {
  const rows = new Map<Corpus, number[]>()
  for (const placed of page) {
    const list = rows.get(placed.searched.corpus) ?? []
    list.push(rowOf(placed))
    rows.set(placed.searched.corpus, list)
  }
  const data = new Map(
    Array.from(rows, ([corpus, some]) => [corpus, { texts: corpus.texts(some), hits: corpus.hits(some) }]),
  )
  await matcher.elsewhere?.look([...data.values()].flatMap(({ texts }) => [...texts.values()].flat()))
  const covers = new Set(
    [...data.values()].flatMap(({ hits }) => [...hits.values()].flatMap((hit) => hit.coverInWindow ?? [])),
  )
  const coverTexts = new Map(Array.from(summaries.folded(covers), ([id, text]) => [id, new FoundText(text, matcher)]))
  return page.flatMap((placed): GrepHit[] => {
    const { corpus } = placed.searched
    const hit = data.get(corpus)?.hits.get(rowOf(placed))
    const fields = data.get(corpus)?.texts.get(rowOf(placed))
    if (!hit || !fields) return []
    const { field, snippet, matches } = snippetOf(fields, matcher)
    const ranking = explain(placed)
    const cover = hit.coverInWindow === null ? undefined : coverTexts.get(hit.coverInWindow)
    const isSeenInCover = cover?.holds(fields, snippetMatches(snippet, matches)) ?? false
    const shown = { ...hit, isSeenInCover, field: corpus.fields[field] ?? 'content', snippet, matches }
    return [{ ...shown, ...partOf(fields), ...(ranking && { ranking }) }]
  })
}

const snippetMatches = (snippet: string, matches: readonly (readonly [number, number])[]): string[] =>
  matches.map(([start, end]) => snippet.slice(start, end))
