import { useState } from 'react'
import { flushSync } from 'react-dom'
import { navigate } from '#renderer/routes.ts'

type AnchorState = {
  readonly anchor: Anchor
  /** Tells which nodes are shown, so that the anchor can follow the selection. */
  readonly follow: (selection: string | null, isShown: (id: string) => boolean) => void
  /** Selects a node of the graph, or the node to which a step led. */
  readonly pick: (id: string, how: 'push' | 'replace') => void
  readonly expand: (id: string) => void
  /** Expands nodes of a new graph for which there is room, once. */
  readonly grow: (focus: string, ids: readonly string[]) => void
  readonly centre: (id: string) => void
}

/** Keeps the node around which the graph is drawn. */
export function useAnchor(selection: string | null): AnchorState {
  const [anchor, setAnchor] = useState(() => anchorOn(selection))
  const [grown, setGrown] = useState<string | null>(null)
  return {
    anchor,
    // Called while rendering, because a state that depends on another one is set before anything is shown.
    follow: (wanted, isShown) => {
      const followed = followSelection(anchor, wanted, isShown)
      if (followed !== anchor) setAnchor(followed)
    },
    pick: (id, how) => {
      // The state is set before the address changes; otherwise the selection would seem to come from another view.
      flushSync(() => setAnchor((before) => ({ ...before, own: id })))
      navigate({ selection: id }, how)
    },
    expand: (id) => setAnchor((before) => toggleExpanded(before, id)),
    grow: (focus, ids) => {
      if (grown === focus || (anchor.id !== null && anchor.id !== focus)) return
      setGrown(focus)
      if (ids.length > 0) setAnchor((before) => ({ ...before, expanded: [...new Set([...before.expanded, ...ids])] }))
    },
    centre: (id) => setAnchor((before) => ({ ...anchorOn(id), selection: before.selection })),
  }
}

/** The node around which the graph is drawn, and what is expanded in it. */
export type Anchor = {
  /** The node in the middle; null while nothing has been selected. */
  readonly id: string | null
  /** Nodes of which everything is shown. */
  readonly expanded: readonly string[]
  /** The selection for which the anchor was computed. */
  readonly selection: string | null
  /** A selection that was made in the graph and is not in the address yet. */
  readonly own: string | null
}

export const anchorOn = (id: string | null): Anchor => ({ id, expanded: [], selection: id, own: null })

/**
 * Follows the selection. A node that was selected in the graph is marked in its position; one that was selected
 * elsewhere, or is not shown, becomes the centre of a new graph. Without a selection nothing changes.
 */
export function followSelection(anchor: Anchor, selection: string | null, isShown: (id: string) => boolean): Anchor {
  if (selection === anchor.selection) return anchor
  if (selection === null) return { ...anchor, selection }
  if (selection === anchor.own && isShown(selection)) return { ...anchor, selection }
  return anchorOn(selection)
}

export const toggleExpanded = (anchor: Anchor, id: string): Anchor => ({
  ...anchor,
  expanded: anchor.expanded.includes(id) ? anchor.expanded.filter((each) => each !== id) : [...anchor.expanded, id],
})
