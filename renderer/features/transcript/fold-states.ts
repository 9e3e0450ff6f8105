/** What was unfolded or folded by hand: by block (`message/block`), and by whole message (`message`). */
export type FoldStates = ReadonlyMap<string, boolean>

/** A block does as its message, unless it was turned over by itself since. Folded to begin with. */
export function isUnfolded(states: FoldStates, key: string): boolean {
  return states.get(key) ?? states.get(messageOf(key)) ?? false
}

/** One block turned over. */
export function turned(states: FoldStates, key: string): FoldStates {
  return new Map(states).set(key, !isUnfolded(states, key))
}

/** All blocks of a message unfolded, or folded when it was the message that was unfolded. */
export function allTurned(states: FoldStates, messageId: string): FoldStates {
  const others = [...states].filter(([key]) => messageOf(key) !== messageId)
  return new Map(others).set(messageId, states.get(messageId) !== true)
}

function messageOf(key: string): string {
  const slash = key.indexOf('/')
  return slash < 0 ? key : key.slice(0, slash)
}
