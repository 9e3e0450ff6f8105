import type { ContextItem } from '../../../core/contract/context.ts'

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
