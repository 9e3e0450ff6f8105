import type { AssembledContext, ContextItem } from '../../../core/contract/context.ts'

export type Room = {
  /** The tokens until the soft threshold. Negative when it is exceeded. */
  readonly tokens: number
  /**
   * The number of turns until the soft threshold at the pace of the raw messages in the window, or null when it cannot
   * be estimated.
   */
  readonly turns: number | null
}

/** Fewer turns than this give no reliable pace. */
const LEAST_TURNS = 3

/** Returns how much more fits before compaction is due. */
export function roomUntilSoft(window: AssembledContext): Room {
  const tokens = Math.round(window.softThreshold * window.budget) - window.activeTokens
  const perTurn = tokensPerTurn(window.items)
  return { tokens, turns: tokens <= 0 || perTurn === null ? null : Math.floor(tokens / perTurn) }
}

/** Returns the mean tokens from one user message to the next, over the raw messages of the window. */
function tokensPerTurn(items: readonly ContextItem[]): number | null {
  let turns = 0
  let tokens = 0
  for (const item of items) {
    if (item.kind !== 'message' || item.role === 'system') continue
    if (item.role === 'user') turns++
    // Messages before the first user message belong to a turn whose beginning was compacted.
    if (turns > 0) tokens += item.tokens
  }
  return turns < LEAST_TURNS || tokens === 0 ? null : tokens / turns
}
