import type { Strata } from '#core/contract/strata.ts'
import type { Hit } from './hit.ts'

/** The action of a click: selects a node, zooms to a range, or both. */
export type HitAction = { readonly select?: string; readonly show?: { readonly x0: number; readonly x1: number } }

/** A click selects a single node and zooms to a group. */
export function onClick(hit: Hit | null, { summaries }: Strata): HitAction {
  switch (hit?.kind) {
    case undefined:
    case 'compaction':
    case 'planned':
      return {}
    case 'summary':
      return { select: summaries.id[hit.entry] }
    case 'summaries':
      return { show: hit }
    case 'messages':
      return hit.count === 1 ? { select: `msg_${hit.firstMessage}` } : { show: hit }
    case 'window':
      return hit.run.id === null ? { show: hit.run } : { select: hit.run.id }
    case 'mark':
      return { select: hit.mark.firstId, show: hit.mark }
  }
}

/** A double click shows a bar as wide as the plot. */
export function onDoubleClick(hit: Hit | null, { summaries }: Strata): HitAction {
  if (hit?.kind === 'summary') return { show: { x0: summaries.x0[hit.entry] ?? 0, x1: summaries.x1[hit.entry] ?? 0 } }
  if (hit?.kind === 'window') return { show: hit.run }
  return {}
}
