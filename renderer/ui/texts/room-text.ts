import type { AssembledContext, ContextItem } from '#core/contract/context.ts'
import { formatCount, formatTokens, plural } from './format.ts'

/** What decides how full a window is: what wants in, what fits, and the thresholds as shares of the budget. */
export type Room = {
  readonly activeTokens: number
  readonly leftOutTokens: number
  readonly budgetTokens: number
  readonly softThreshold: number
  readonly hardThreshold: number
}

/**
 * Says how far the window is from its next threshold, or what does not fit. Every view says it with these words, so
 * that no two of them name another threshold.
 */
export function roomText(room: Room): string {
  const { activeTokens, leftOutTokens, budgetTokens, softThreshold, hardThreshold } = room
  // Below the budget nothing is left out for want of room.
  if (leftOutTokens > 0 && activeTokens > budgetTokens) {
    const fitting = activeTokens - leftOutTokens
    // System messages and the newest ones stay in also where there is no room for them.
    const verb = fitting > budgetTokens ? 'stay although the budget is' : 'fit into'
    const [wanted, kept, budget, leftOut] = [activeTokens, fitting, budgetTokens, leftOutTokens].map(formatCount)
    return `${wanted} tokens want in, ${kept} ${verb} ${budget}, ${leftOut} are left out`
  }
  const toSoft = Math.round(softThreshold * budgetTokens) - activeTokens
  const toHard = Math.round(hardThreshold * budgetTokens) - activeTokens
  if (toSoft > 0) return `a compaction is due in ${formatCount(toSoft)} tokens`
  if (toHard > 0) return `a compaction is due, and must come within ${formatCount(toHard)} tokens`
  return `must be compacted: ${formatCount(-toHard)} tokens too many`
}

/** Says at which size of the window a compaction is due, and when that is, or what does not fit. */
export function dueText(room: Room, turns: number | null): string {
  const softTokens = Math.round(room.softThreshold * room.budgetTokens)
  const left = softTokens - room.activeTokens
  if (left <= 0) return roomText(room)
  const when = turns === null ? `${formatCount(left)} tokens from here` : `in about ${plural(turns, 'turn')}`
  return `the next compaction is due at ${formatCount(softTokens)} tokens, ${when}`
}

/** `699 tokens in the window, 840 left out`: what the model is given of a window, and what it is not. */
export function givenText(side: { readonly windowTokens: number; readonly leftOutTokens: number }): string {
  const given = `${formatTokens(side.windowTokens - side.leftOutTokens)} in the window`
  return side.leftOutTokens > 0 ? `${given}, ${formatCount(side.leftOutTokens)} left out` : given
}

type RoomUntilSoft = {
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
export function roomUntilSoft(window: AssembledContext): RoomUntilSoft {
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
