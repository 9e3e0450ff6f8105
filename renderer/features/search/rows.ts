import type { GrepHit } from '../../../core/contract/retrieval.ts'

/** A line of the result list: the head of a conversation, or one of its hits. */
export type Row =
  | { readonly kind: 'head'; readonly key: string; readonly conversationId: number; readonly hits: number }
  | { readonly kind: 'hit'; readonly key: string; readonly hit: GrepHit; readonly position: number }

/**
 * Hits of the loaded pages, grouped by conversation. Hits are grouped within their page, and a page goes on with the
 * last group of the one before it: what is on screen never moves when another page arrives.
 */
export function rowsOf(pages: readonly (readonly GrepHit[])[]): readonly Row[] {
  const groups: { conversationId: number; hits: GrepHit[] }[] = []
  for (const page of pages) {
    const ofPage = groupedByConversation(page, groups.at(-1)?.conversationId)
    for (const [conversationId, hits] of ofPage) {
      const last = groups.at(-1)
      if (last?.conversationId === conversationId) last.hits.push(...hits)
      else groups.push({ conversationId, hits: [...hits] })
    }
  }
  const rows: Row[] = []
  let position = 0
  for (const [index, { conversationId, hits }] of groups.entries()) {
    rows.push({ kind: 'head', key: `head ${index}`, conversationId, hits: hits.length })
    for (const hit of hits) rows.push({ kind: 'hit', key: `hit ${position}`, hit, position: position++ })
  }
  return rows
}

/** In order of first appearance, except that `first` leads if the page has it. */
function groupedByConversation(
  hits: readonly GrepHit[],
  first: number | undefined,
): readonly (readonly [number, readonly GrepHit[]])[] {
  const groups = new Map<number, GrepHit[]>()
  if (first !== undefined && hits.some((hit) => hit.conversationId === first)) groups.set(first, [])
  for (const hit of hits) {
    const group = groups.get(hit.conversationId)
    if (group === undefined) groups.set(hit.conversationId, [hit])
    else group.push(hit)
  }
  return [...groups]
}

/** Index in the rows of the hit that stands `position`th among the hits; -1 when there is none. */
export function rowOfHit(rows: readonly Row[], position: number): number {
  return rows.findIndex((row) => row.kind === 'hit' && row.position === position)
}
