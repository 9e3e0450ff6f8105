import type { OwnBudgets } from '../systems/own-budgets.ts'
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

/** The configured budget. What the file says of a conversation counts first. */
export type BudgetSettings = { readonly budgetTokens: number; readonly ownBudgets?: OwnBudgets }

/** The settings under which a window is assembled. */
export type AssemblySettings = BudgetSettings & { readonly freshTailCount: number }

/**
 * The budgets of one conversation. The window is judged by `budgetTokens`, which is that of the file where it names
 * one. A file says when its agent compacts, and not what the agent leaves out until then, so the selection never has
 * less room than the settings give.
 */
export type Budget = {
  readonly budgetTokens: number
  readonly selectionTokens: number
  /** Whether the file names it. */
  readonly isOwn: boolean
}

export function budgetsOf(
  { budgetTokens: configured, ownBudgets }: BudgetSettings,
  of: readonly number[] | null,
): (conversationId: number) => Budget {
  const own = ownBudgets?.(of)
  return (conversationId) => {
    const named = own?.get(conversationId)?.budgetTokens
    const budgetTokens = named ?? configured
    return { budgetTokens, selectionTokens: Math.max(budgetTokens, configured), isOwn: named !== undefined }
  }
}

/** Returns the budget of a conversation, unless a request asks for another one. */
export function budgetFor(settings: BudgetSettings, conversationId: number, asked: number | undefined): Budget {
  if (asked !== undefined) return { budgetTokens: asked, selectionTokens: asked, isOwn: false }
  return budgetsOf(settings, [conversationId])(conversationId)
}

/** Returns the size of a window of which nothing else is needed. */
export const measureWindow = (
  columns: WindowColumns,
  pairs: Pairing,
  { budgetTokens, freshTailCount }: Pick<AssemblySettings, 'budgetTokens' | 'freshTailCount'>,
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
