import type { ContextItem } from '#core/contract/context.ts'
import { depthColor, depthLabel } from '#renderer/ui/nodes/depth-color.ts'

/**
 * The group of an item, for its colour and for sums: its role, or its depth when it is a summary (`depth-0` is a leaf).
 */
export type Category = 'system' | 'user' | 'assistant' | 'tool' | 'missing' | `depth-${number}`

export type CategorySum = {
  readonly category: Category
  readonly label: string
  readonly tokens: number
  readonly items: number
}

/** The category of an item. A summary without a known depth counts as a leaf. */
export function categoryOf(item: Pick<ContextItem, 'kind' | 'role' | 'depth'>): Category {
  if (item.kind === 'missing') return 'missing'
  if (item.kind === 'message') return item.role ?? 'missing'
  return `depth-${item.depth ?? 0}`
}

/** Depth of a summary category, null for roles. */
export function categoryDepth(category: Category): number | null {
  return category.startsWith('depth-') ? Number(category.slice('depth-'.length)) : null
}

/** The words for one item of a category, as in a table row. */
export function categoryLabel(category: Category): string {
  const depth = categoryDepth(category)
  if (depth !== null) return depthLabel(depth)
  return category === 'tool' ? 'tool result' : category
}

/** The CSS colour of a category. */
export function categoryColor(category: Category): string {
  const depth = categoryDepth(category)
  if (depth !== null) return depthColor(depth)
  return category === 'missing' ? 'var(--error)' : `var(--${category})`
}

/** The words for all items of a category, as in a legend. */
export function categoryPlural(category: Category): string {
  if (category === 'depth-0') return 'first summaries'
  return category === 'tool' ? 'tool results' : categoryLabel(category)
}

/**
 * Tokens of the included items per category, in the order of the legend: system, deepest summaries first, leaves, then
 * user, assistant and tool. A depth that lies below an existing one is listed even when nothing of it is in the window.
 */
export function sumsByCategory(items: readonly ContextItem[]): readonly CategorySum[] {
  const sums = new Map<Category, { tokens: number; items: number }>()
  let deepest = -1
  for (const item of items) {
    if (!item.included) continue
    const category = categoryOf(item)
    deepest = Math.max(deepest, categoryDepth(category) ?? -1)
    const sum = sums.get(category) ?? { tokens: 0, items: 0 }
    sums.set(category, { tokens: sum.tokens + item.tokens, items: sum.items + 1 })
  }
  return legendOrder(deepest)
    .filter((category) => categoryDepth(category) !== null || sums.has(category))
    .map((category) => ({
      category,
      label: categoryPlural(category),
      ...(sums.get(category) ?? { tokens: 0, items: 0 }),
    }))
}

function legendOrder(deepest: number): readonly Category[] {
  const depths: Category[] = []
  for (let depth = deepest; depth >= 0; depth--) depths.push(`depth-${depth}`)
  return ['system', ...depths, 'user', 'assistant', 'tool', 'missing']
}
