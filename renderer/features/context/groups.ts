import type { ContextItem, ItemReason } from '#core/contract/context.ts'
import { type Category, categoryDepth, categoryOf, categoryPlural } from './category.ts'

/** Items of one kind, with what is in the window and what is left out. */
export type Group = {
  readonly key: string
  readonly label: string
  readonly category: Category | null
  readonly items: number
  readonly tokens: number
  readonly outItems: number
  readonly outTokens: number
}

type Sums = { items: number; tokens: number; outItems: number; outTokens: number }

/** Every category that occurs, in the order of the legend. */
export function groupsByCategory(items: readonly ContextItem[]): readonly Group[] {
  return [...sums(items, categoryOf)]
    .toSorted(([a], [b]) => categoryRank(a) - categoryRank(b))
    .map(([category, sum]) => ({ key: category, label: categoryPlural(category), category, ...sum }))
}

const LATER_RANKS: Readonly<Record<string, number>> = { user: 1, assistant: 2, tool: 3, missing: 4 }

/** The order is: system, the deepest summaries, leaves, then messages and tools. */
function categoryRank(category: Category): number {
  const depth = categoryDepth(category)
  if (depth !== null) return -depth
  return category === 'system' ? Number.NEGATIVE_INFINITY : (LATER_RANKS[category] ?? 5)
}

const REASONS: Readonly<Record<ItemReason, string>> = {
  always_in: 'always in',
  fresh_tail: 'among the newest',
  pair_of_included: 'pair of what is in',
  fits_recency: 'fits, newest first',
  fits_relevance: 'fits, most relevant first',
  out_of_budget: 'out: over the budget',
  pair_out_of_budget: 'out: over the budget with its pair',
  orphan_result: 'out: its call is gone',
  not_sent: 'out: the agent does not send it',
  dangling: 'out: names nothing',
}

/** Returns every reason that occurs, in a fixed order that begins with the included items. */
export function groupsByReason(items: readonly ContextItem[]): readonly Group[] {
  const found = sums(items, (item) => item.reasonCode)
  return (Object.keys(REASONS) as ItemReason[]).flatMap((reason) => {
    const sum = found.get(reason)
    return sum === undefined ? [] : [{ key: reason, label: REASONS[reason], category: null, ...sum }]
  })
}

function sums<K>(items: readonly ContextItem[], keyOf: (item: ContextItem) => K): ReadonlyMap<K, Sums> {
  const found = new Map<K, Sums>()
  for (const item of items) {
    const key = keyOf(item)
    const sum = found.get(key) ?? { items: 0, tokens: 0, outItems: 0, outTokens: 0 }
    if (item.included) {
      sum.items += 1
      sum.tokens += item.tokens
    } else {
      sum.outItems += 1
      sum.outTokens += item.tokens
    }
    found.set(key, sum)
  }
  return found
}

/**
 * Returns the included items with the most tokens, largest first. It takes one pass, because a window may hold hundreds
 * of thousands of items.
 */
export function largestItems(items: readonly ContextItem[], count = 6): readonly ContextItem[] {
  const largest: ContextItem[] = []
  for (const item of items) {
    if (!item.included || item.tokens === 0) continue
    const last = largest.at(-1)
    if (largest.length === count && last !== undefined && item.tokens <= last.tokens) continue
    const at = largest.findIndex((other) => other.tokens < item.tokens)
    largest.splice(at < 0 ? largest.length : at, 0, item)
    if (largest.length > count) largest.pop()
  }
  return largest
}
