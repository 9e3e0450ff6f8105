import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

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

/** The states that the user changed: of a block (`message/block`), and of a whole message (`message`). */
type FoldStates = ReadonlyMap<string, boolean>

/** A block has the state of its message, unless it was changed by itself later. At first all blocks are folded. */
export function isUnfolded(states: FoldStates, key: string): boolean {
  return states.get(key) ?? states.get(messageOf(key)) ?? false
}

/** Changes the state of one block. */
export function turned(states: FoldStates, key: string): FoldStates {
  return new Map(states).set(key, !isUnfolded(states, key))
}

/** Unfolds all blocks of a message, or folds them when the message was unfolded. */
export function allTurned(states: FoldStates, messageId: string): FoldStates {
  const others = [...states].filter(([key]) => messageOf(key) !== messageId)
  return new Map(others).set(messageId, states.get(messageId) !== true)
}

function messageOf(key: string): string {
  const slash = key.indexOf('/')
  return slash < 0 ? key : key.slice(0, slash)
}
