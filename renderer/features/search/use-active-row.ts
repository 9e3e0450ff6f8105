import { useState } from 'react'
import type { GrepHit } from '#core/contract/retrieval.ts'
import { navigate, useRoutePart } from '#renderer/routes.ts'
import type { View } from '#renderer/views.ts'
import type { Row } from './hit-rows.ts'

export type ActiveRow = {
  /** The index among the stops, or 0 when there is none. */
  readonly stop: number
  /** True while the user has not moved since the search began. */
  readonly isUnmoved: boolean
  readonly select: (stop: number) => void
  readonly move: (steps: number) => void
  /** Opens a hit in its view, or unfolds a group. */
  readonly open: (stop?: number) => void
  /** Folds or unfolds the group of the active line. */
  readonly fold: () => void
}

type Actions = {
  readonly onNearEnd: () => void
  readonly onFold: (groupKey: string) => void
  /** Called with a hit that is about to be opened. */
  readonly onOpen: (hit: GrepHit) => void
}

/** The next page is fetched when the active row is this near to the end of what is loaded. */
const NEAR_END = 5

/** The active line. Moving to a hit selects it, so that its detail is shown beside the list. */
export function useActiveRow(
  stops: readonly Row[],
  question: string,
  { onNearEnd, onFold, onOpen }: Actions,
): ActiveRow {
  const selection = useRoutePart('selection')
  const [moved, setMoved] = useState<{ readonly question: string; readonly key: string } | null>(null)
  const isUnmoved = moved?.question !== question
  // Coming back from a hit, the list is at that hit. A new search begins at its first hit.
  const stop = Math.max(0, isUnmoved ? indexOfHit(stops, selection) : indexOfKey(stops, moved.key))

  const select = (next: number) => {
    const row = stops[next]
    if (row === undefined) return
    setMoved({ question, key: row.key })
    if (row.kind === 'hit') navigate({ selection: row.hit.id }, 'replace')
    if (next >= stops.length - NEAR_END) onNearEnd()
  }
  const open = (at = stop) => {
    const row = stops[at]
    if (row === undefined) return
    setMoved({ question, key: row.key })
    if (row.kind === 'head') return onFold(row.group.key)
    const { hit } = row
    onOpen(hit)
    const { conversationId, id: selection, row: fileRow = null } = hit
    navigate({ conversationId, view: viewOf(hit), selection, row: fileRow }, 'push')
  }
  const fold = () => {
    const row = stops[stop]
    if (row === undefined) return
    // The heading of the folded group becomes the active line.
    setMoved({ question, key: row.group.key })
    onFold(row.group.key)
  }
  return {
    stop,
    isUnmoved,
    select,
    move: (steps) => select(Math.max(0, Math.min(stops.length - 1, stop + steps))),
    open,
    fold,
  }
}

const indexOfHit = (stops: readonly Row[], id: string | null): number =>
  stops.findIndex((row) => row.kind === 'hit' && row.hit.id === id)

/** Returns the index of a row, or of the first hit of the group that was unfolded at that row. */
function indexOfKey(stops: readonly Row[], key: string): number {
  const index = stops.findIndex((row) => row.key === key)
  return index >= 0 ? index : stops.findIndex((row) => row.group.key === key)
}

/** Returns the view that shows a hit in its context. */
export function viewOf(hit: Pick<GrepHit, 'kind'>): View {
  if (hit.kind === 'file') return 'files'
  return hit.kind === 'message' ? 'messages' : 'layers'
}
