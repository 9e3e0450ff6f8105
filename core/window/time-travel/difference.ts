import type { ContextAt, ContextDifference } from '#core/contract/time-travel.ts'

/**
 * Returns what left a window and what entered it. Removing `left` from the earlier items and adding `entered`, each at
 * its ordinal, gives the later ones.
 */
export function differenceOf(before: ContextAt, after: ContextAt): ContextDifference {
  const { items: earlier, ...beforeFigures } = before
  const { items: later, ...afterFigures } = after
  const [was, is] = [new Set(earlier.map((item) => item.id)), new Set(later.map((item) => item.id))]
  const left = earlier.filter((item) => !is.has(item.id))
  const entered = later.filter((item) => !was.has(item.id))
  return {
    before: beforeFigures,
    after: afterFigures,
    left,
    entered,
    stayed: earlier.length - left.length,
  }
}
