import type { GrepHit } from '../contract/retrieval.ts'
import type { Corpus } from './corpus.ts'
import type { Placed } from './hit-order.ts'
import type { Question } from './plan-query.ts'
import { snippetOf } from './snippet.ts'

/** What the list shows of the hits, in their order. Rows that are gone meanwhile are left out. */
export async function hitsOf(page: readonly Placed[], question: Question): Promise<GrepHit[]> {
  const rows = new Map<Corpus, number[]>()
  const rowOf = ({ searched, index }: Placed): number => searched.catalogue.rows[index] as number
  for (const placed of page) {
    const list = rows.get(placed.searched.corpus) ?? []
    list.push(rowOf(placed))
    rows.set(placed.searched.corpus, list)
  }
  const data = new Map(
    Array.from(rows, ([corpus, some]) => [corpus, { texts: corpus.texts(some), hits: corpus.hits(some) }]),
  )
  const { matcher } = question.strict
  await matcher.elsewhere?.look([...data.values()].flatMap(({ texts }) => [...texts.values()].flat()))
  return page.flatMap((placed): GrepHit[] => {
    const { corpus } = placed.searched
    const hit = data.get(corpus)?.hits.get(rowOf(placed))
    const fields = data.get(corpus)?.texts.get(rowOf(placed))
    if (!hit || !fields) return []
    const { field, snippet, matches } = snippetOf(fields, matcher)
    const isPartial = question.loose !== null && !matcher.matches(fields)
    return [{ ...hit, field: corpus.fields[field] ?? 'content', snippet, matches, isPartial }]
  })
}
