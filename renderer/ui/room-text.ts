import { formatCount } from './format.ts'

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
    const fitting = formatCount(activeTokens - leftOutTokens)
    return `${formatCount(activeTokens)} tokens want in, ${fitting} fit into ${formatCount(budgetTokens)}, ${formatCount(leftOutTokens)} are left out`
  }
  const toSoft = Math.round(softThreshold * budgetTokens) - activeTokens
  const toHard = Math.round(hardThreshold * budgetTokens) - activeTokens
  if (toSoft > 0) return `soft threshold in ${formatCount(toSoft)} tokens`
  if (toHard > 0) return `past the soft threshold, hard threshold in ${formatCount(toHard)} tokens`
  return `past the hard threshold by ${formatCount(-toHard)} tokens`
}
