import type { CoverageOfEntries } from './coverage-of-entries.ts'
import type { Window } from './window.ts'

/**
 * Returns the items of a window in the order of the history, as indexes, or null when they are in that order already. A
 * summary takes the position of its first message, and an item that names nothing follows the item before it. Some
 * systems store each new summary behind the newest message.
 */
export function historyOrder({ items }: Window, covered: CoverageOfEntries): number[] | null {
  let place = Number.NEGATIVE_INFINITY
  const places = items.map((item) => {
    place = item.seq ?? covered.get(item.summaryId ?? '')?.firstSeq ?? place
    return place
  })
  const isInOrder = places.every((own, index) => index === 0 || own >= (places[index - 1] ?? own))
  if (isInOrder) return null
  return Array.from(items.keys()).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0) || a - b)
}
