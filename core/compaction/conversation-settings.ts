import type { CompactionSettings } from '../contract/compaction.ts'
import { type BudgetSettings, budgetFor } from '../window/window-size.ts'

/** The configured settings, with what the file says of its conversations. */
export type PlannerSettings = Readonly<CompactionSettings> & Pick<BudgetSettings, 'ownBudgets'>

/** The settings under which one conversation is judged, and those under which its window is selected. */
type ConversationSettings = {
  readonly judged: Readonly<CompactionSettings>
  readonly selected: Readonly<CompactionSettings>
}

/**
 * Puts the budget of a conversation into its settings, unless the request names one.
 * @param requested the configured settings with those of the request
 * @param asked the budget that the request names
 */
export function settingsFor(
  configured: PlannerSettings,
  conversationId: number,
  requested: Readonly<CompactionSettings>,
  asked: number | undefined,
): ConversationSettings {
  const budget = budgetFor(configured, conversationId, asked)
  return {
    judged: { ...requested, budgetTokens: budget.budgetTokens },
    selected: { ...requested, budgetTokens: budget.selectionTokens },
  }
}
