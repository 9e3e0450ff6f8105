import { useState } from 'react'

export type Middle = {
  /** Id of the node that the tree is drawn around; null while nothing was selected. */
  readonly id: string | null
  /** Tells which nodes are shown, so that the middle can follow a selection that was made elsewhere. */
  readonly follow: (selection: string | null, isShown: (id: string) => boolean) => void
  /** This selection was made in the tree: it stays where it is, though it may not be shown yet. */
  readonly keepFor: (id: string) => void
  readonly centre: (id: string) => void
}

type State = { readonly id: string | null; readonly selection: string | null; readonly own: string | null }

/** What is picked in the tree is marked where it stands; what is picked elsewhere becomes its middle. */
export function useMiddle(selection: string | null): Middle {
  const [state, setState] = useState<State>({ id: selection, selection, own: null })
  return {
    id: state.id,
    // Called while rendering: a state that follows from another one is set before anything is shown.
    follow: (wanted, isShown) => {
      if (wanted === state.selection) return
      const stays = wanted === null || wanted === state.own || isShown(wanted)
      setState({ id: stays ? (state.id ?? wanted) : wanted, selection: wanted, own: null })
    },
    keepFor: (id) => setState((before) => ({ ...before, own: id })),
    centre: (id) => setState((before) => ({ ...before, id })),
  }
}
