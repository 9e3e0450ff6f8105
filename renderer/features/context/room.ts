import type { AssembledContext, ContextItem } from '../../../core/contract/context.ts'

export type Room = {
  /** Tokens until the soft threshold; negative when it is passed. */
  readonly tokens: number
  /** Turns that this room lasts for at the pace of the raw messages in the window; null when that cannot be told. */
  readonly turns: number | null
}

/** Fewer turns than this are no pace to go by. */
const LEAST_TURNS = 3

/** How much more fits before compaction is due. */
export function roomUntilSoft(window: AssembledContext): Room {
  const tokens = Math.round(window.softThreshold * window.budget) - window.activeTokens
  const perTurn = tokensPerTurn(window.items)
  return { tokens, turns: tokens <= 0 || perTurn === null ? null : Math.floor(tokens / perTurn) }
}

/** Mean tokens from one user message to the next, over the raw messages of the window. */
function tokensPerTurn(items: readonly ContextItem[]): number | null {
  let turns = 0
  let tokens = 0
  for (const item of items) {
    if (item.kind !== 'message' || item.role === 'system') continue
    if (item.role === 'user') turns++
    // What stands before the first user message belongs to a turn whose beginning was compacted.
    if (turns > 0) tokens += item.tokens
  }
  return turns < LEAST_TURNS || tokens === 0 ? null : tokens / turns
}
