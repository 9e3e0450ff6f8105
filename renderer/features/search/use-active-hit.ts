import { useState } from 'react'
import type { GrepHit } from '../../../core/contract/retrieval.ts'
import { navigate, useRoute, type View } from '../../routes.ts'

export type ActiveHit = {
  /** Place among the hits; 0 when there is none. */
  readonly position: number
  readonly select: (position: number) => void
  readonly move: (steps: number) => void
  readonly open: (position?: number) => void
}

/** The hit that the arrow keys are on. Moving selects it, so that its detail stands beside the list. */
export function useActiveHit(hits: readonly GrepHit[], query: string, onNearEnd: () => void): ActiveHit {
  const { selection } = useRoute()
  const [moved, setMoved] = useState({ query: '', position: 0 })
  // Coming back from a hit, the list stands at that hit; another query begins at its first.
  const found = hits.findIndex((hit) => hit.id === selection)
  const wanted = moved.query === query ? moved.position : Math.max(0, found)
  const position = Math.min(wanted, Math.max(0, hits.length - 1))

  const select = (next: number) => {
    const hit = hits[next]
    if (hit === undefined) return
    setMoved({ query, position: next })
    navigate({ selection: hit.id }, 'replace')
    if (next >= hits.length - 3) onNearEnd()
  }
  const open = (at = position) => {
    const hit = hits[at]
    if (hit === undefined) return
    setMoved({ query, position: at })
    navigate({ conversationId: hit.conversationId, view: viewOf(hit), selection: hit.id }, 'push')
  }
  return { position, select, move: (steps) => select(Math.max(0, Math.min(hits.length - 1, position + steps))), open }
}

/** Where a hit is in its place. */
export function viewOf(hit: Pick<GrepHit, 'kind'>): View {
  if (hit.kind === 'file') return 'files'
  return hit.kind === 'message' ? 'transcript' : 'strata'
}
