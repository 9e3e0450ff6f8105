/** Items that are included together or not at all: one item, or a tool call with its results. */
export type Unit = {
  /** The index of the oldest of them. */
  readonly first: number
  readonly members: readonly number[]
  readonly tokens: number
}

/** What is over the budget falls out in steps of a quarter of it. See docs/decisions/0014-one-window.md. */
const STEPS = 4
export const stepOf = (budgetTokens: number): number => Math.max(1, Math.floor(budgetTokens / STEPS))

export type OverBudget = {
  /** What may fall out, the oldest first. */
  readonly units: readonly Unit[]
  /** The tokens of what stays in any case. */
  readonly requiredTokens: number
  readonly budgetTokens: number
  /** The tokens of each item, by index. */
  readonly tokens: Float64Array
  /** Whether an item counts when steps are measured. It must not depend on what follows the item. */
  readonly counts: (index: number) => boolean
}

/**
 * Decides which units do not fit into a budget: single ones that are as large as a step, the oldest first, and then the
 * oldest of all, as many whole steps as are needed. Steps are measured from the beginning of the window, so that they
 * end at the same items however much follows.
 */
export function fallenOut(over: OverBudget): ReadonlySet<Unit> {
  const { units, requiredTokens, budgetTokens } = over
  const step = stepOf(budgetTokens)
  const out = new Set<Unit>()
  let excess = units.reduce((sum, { tokens }) => sum + tokens, requiredTokens) - budgetTokens
  for (const unit of units) {
    if (excess <= 0) return out
    if (unit.tokens < step) continue
    out.add(unit)
    excess -= unit.tokens
  }
  const small = units.filter((unit) => !out.has(unit))
  const cut = excess <= 0 ? 0 : endOfStep(over, small, excess)
  for (const unit of small) if (unit.first < cut) out.add(unit)
  return out
}

/** The index at which the step ends in which the excess is gone. */
function endOfStep({ budgetTokens, tokens, counts }: OverBudget, units: readonly Unit[], excess: number): number {
  const step = stepOf(budgetTokens)
  let left = excess
  const last = units.find((unit) => {
    left -= unit.tokens
    return left <= 0
  })
  if (!last) return tokens.length
  let passed = 0
  let goal = Number.POSITIVE_INFINITY
  for (let index = 0; index < tokens.length; index += 1) {
    if (index === last.first + 1) goal = Math.ceil(passed / step) * step
    if (passed >= goal) return index
    if (counts(index)) passed += tokens[index] as number
  }
  return tokens.length
}
