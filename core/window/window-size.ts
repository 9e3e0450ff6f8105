import { type Selection, selectItems } from './selection.ts'
import type { Pairing } from './tool-pairs.ts'
import type { WindowColumns } from './window.ts'

/**
 * The figures of a window. Active is everything in its context list, fitting is what of that goes to the model under a
 * budget, and left out is the rest. Every view, list and trigger uses these figures.
 */
export type WindowSize = {
  /** The number of active entries, including those that name nothing. */
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

/** The settings under which a window is assembled. */
export type AssemblySettings = { readonly budgetTokens: number; readonly freshTailCount: number }

/** Returns the size of a window of which nothing else is needed. */
export const measureWindow = (
  columns: WindowColumns,
  pairs: Pairing,
  { budgetTokens, freshTailCount }: AssemblySettings,
): WindowSize => sizeOf(columns, selectItems({ columns, pairs, budgetTokens, freshTailCount }))

/** Returns the size of a window from its selection. */
export function sizeOf({ length, tokens }: WindowColumns, selection: Selection): WindowSize {
  let activeTokens = 0
  let leftOutItems = 0
  for (let index = 0; index < length; index += 1) {
    activeTokens += tokens[index] as number
    if (!selection.isIncluded(index)) leftOutItems += 1
  }
  const { tokens: fittingTokens } = selection
  return { items: length, activeTokens, fittingTokens, leftOutItems, leftOutTokens: activeTokens - fittingTokens }
}
