import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { allTurned, type FoldStates, isUnfolded, turned } from './fold-states.ts'

type Folds = {
  readonly states: FoldStates
  readonly change: (change: (states: FoldStates) => FoldStates) => void
}

const FoldContext = createContext<Folds | null>(null)

/** Remembers the unfolded blocks while rows come and go with scrolling. */
export function FoldProvider({ children }: { readonly children: ReactNode }) {
  const [states, change] = useState<FoldStates>(new Map())
  return <FoldContext value={useMemo(() => ({ states, change }), [states])}>{children}</FoldContext>
}

function useFolds(): Folds {
  const folds = useContext(FoldContext)
  if (folds === null) throw new Error('folds need a FoldProvider')
  return folds
}

/** Returns whether a block is unfolded, and a function to change that. Its key is `message/block`. */
export function useFold(key: string): readonly [boolean, () => void] {
  const { states, change } = useFolds()
  return [isUnfolded(states, key), () => change((before) => turned(before, key))]
}

/** Folds or unfolds all blocks of a message at once. */
export function useFoldMessage(): (messageId: string) => void {
  const { change } = useFolds()
  return (messageId) => change((before) => allTurned(before, messageId))
}
