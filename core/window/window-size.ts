import { type Candidate, type Selection, selectItems } from './selection.ts'
import type { Pairing } from './tool-pairs.ts'

/**
 * A window in figures. Active is all that its context list holds, fitting is what of that goes to the model under a
 * budget, and left out is the rest. Every view, list and trigger takes its figures from here.
 */
export type WindowSize = {
  /** Active entries, those that lead nowhere too. */
  readonly items: number
  readonly activeTokens: number
  readonly fittingTokens: number
  readonly leftOutItems: number
  readonly leftOutTokens: number
}

export const NO_WINDOW: WindowSize = {
  items: 0,
  activeTokens: 0,
  fittingTokens: 0,
  leftOutItems: 0,
  leftOutTokens: 0,
}

/** Under which settings a window is put together. */
export type AssemblySettings = { readonly budgetTokens: number; readonly freshTailCount: number }

/** The size of a window of which nothing else is asked. */
export function measureWindow(
  items: readonly Candidate[],
  pairs: Pairing,
  { budgetTokens, freshTailCount }: AssemblySettings,
): WindowSize {
  const selection = selectItems({
    items,
    pairs,
    budgetTokens,
    freshTailCount,
    // Both only word a reason.
    standsFor: () => 0,
    callsOutside: new Set(),
  })
  return sizeOf(items, selection)
}

/** The size of a window about which was decided. */
export function sizeOf(
  items: readonly Candidate[],
  { verdicts, tokens }: Pick<Selection, 'verdicts' | 'tokens'>,
): WindowSize {
  let activeTokens = 0
  for (const item of items) activeTokens += item.tokens
  let leftOutItems = 0
  for (const verdict of verdicts) if (!verdict.included) leftOutItems += 1
  return {
    items: items.length,
    activeTokens,
    fittingTokens: tokens,
    leftOutItems,
    leftOutTokens: activeTokens - tokens,
  }
}
