import { useState } from 'react'
import { flushSync } from 'react-dom'
import { navigate } from '../../routes.ts'
import { type Anchor, anchorOn, followSelection, toggleExpanded } from './anchor.ts'

type AnchorState = {
  readonly anchor: Anchor
  /** Tells what is shown now, so that the anchor can follow the selection. */
  readonly follow: (selection: string | null, isShown: (id: string) => boolean) => void
  /** Selects what is in the graph, or what a step led to. */
  readonly pick: (id: string, how: 'push' | 'replace') => void
  readonly expand: (id: string) => void
  readonly centre: (id: string) => void
}

/** Keeps what the graph is drawn around. */
export function useAnchor(selection: string | null): AnchorState {
  const [anchor, setAnchor] = useState(() => anchorOn(selection))
  return {
    anchor,
    // Called while rendering: a state that follows from another one is set before anything is shown.
    follow: (wanted, isShown) => {
      const followed = followSelection(anchor, wanted, isShown)
      if (followed !== anchor) setAnchor(followed)
    },
    pick: (id, how) => {
      // Before the address changes, or the pick would be taken for somebody else's.
      flushSync(() => setAnchor((before) => ({ ...before, own: id })))
      navigate({ selection: id }, how)
    },
    expand: (id) => setAnchor((before) => toggleExpanded(before, id)),
    centre: (id) => setAnchor((before) => ({ ...anchorOn(id), selection: before.selection })),
  }
}
