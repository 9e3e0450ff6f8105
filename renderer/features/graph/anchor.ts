/** What the graph is drawn around, and what is open in it. */
export type Anchor = {
  /** The node in the middle; null while nothing has been selected. */
  readonly id: string | null
  /** Nodes of which everything is shown. */
  readonly expanded: readonly string[]
  /** The selection that this was decided for. */
  readonly selection: string | null
  /** A selection that was made in the graph itself, and is on its way through the address. */
  readonly own: string | null
}

export const anchorOn = (id: string | null): Anchor => ({ id, expanded: [], selection: id, own: null })

/**
 * Follows the selection. What was picked in the graph is marked where it stands; what was picked elsewhere, or is not
 * shown, becomes the middle of a new one. Without a selection everything stays.
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
