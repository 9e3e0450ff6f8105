import { useState } from 'react'

export type Middle = {
  /** Id of the node that the tree is drawn around; null while it shows all summaries. */
  readonly id: string | null
  /** Tells which nodes are shown, so that the middle can follow a selection that was made elsewhere. */
  readonly follow: (selection: string | null, isShown: (id: string) => boolean) => void
  /** Keeps the position of a selection that was made in the tree, even if it is not shown yet. */
  readonly keepFor: (id: string) => void
  readonly centre: (id: string | null) => void
}

type State = { readonly id: string | null; readonly selection: string | null; readonly own: string | null }

/**
 * A node that is selected in the tree is marked in its position. One that is selected elsewhere becomes the middle of
 * the tree.
 */
export function useMiddle(selection: string | null): Middle {
  const [state, setState] = useState<State>({ id: selection, selection, own: null })
  return {
    id: state.id,
    // Called while rendering, because a state that depends on another one is set before anything is shown.
    follow: (wanted, isShown) => {
      if (wanted === state.selection) return
      const stays = wanted === null || wanted === state.own || isShown(wanted)
      setState({ id: stays ? state.id : wanted, selection: wanted, own: null })
    },
    keepFor: (id) => setState((before) => ({ ...before, own: id })),
    centre: (id) => setState((before) => ({ ...before, id })),
  }
}
