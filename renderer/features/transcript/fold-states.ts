/** The states that the user changed: of a block (`message/block`), and of a whole message (`message`). */
export type FoldStates = ReadonlyMap<string, boolean>

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
