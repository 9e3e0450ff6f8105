import type { WindowItem } from '../context/window.ts'
import { LEAST_TOKENS, type Range } from './leaf-chunks.ts'

export type CondenseLimits = { readonly condensedMinFanout: number; readonly maxDepth: number }

/** Neighbours that become one node; `depth` is that of the sources. */
export type Group = Range & { readonly depth: number }

/**
 * The next summaries to condense: the oldest group at the shallowest depth that has enough neighbours of that depth.
 * A group takes exactly `condensedMinFanout` nodes, the fewest that qualify, so that the setting bounds the fan-in as
 * well, the tree grows evenly, and the newest summaries keep their detail until enough have gathered. Summaries in
 * `irreducible` end a run like anything else that cannot be condensed.
 */
export function findGroups(
  items: readonly WindowItem[],
  { condensedMinFanout, maxDepth }: CondenseLimits,
  irreducible: ReadonlySet<string> = new Set(),
): readonly Group[] {
  const groups: Group[] = []
  let shallowest = maxDepth < 0 ? Number.POSITIVE_INFINITY : maxDepth
  for (const run of runsOfOneDepth(items, irreducible)) {
    if (run.to - run.from < condensedMinFanout || run.depth > shallowest) continue
    if (maxDepth >= 0 && run.depth + 1 > maxDepth) continue
    if (run.depth < shallowest) groups.length = 0
    shallowest = run.depth
    for (let from = run.from; from + condensedMinFanout <= run.to; from += condensedMinFanout) {
      groups.push({ from, to: from + condensedMinFanout, depth: run.depth })
    }
  }
  return groups.filter((group) => tokensOf(items, group) >= LEAST_TOKENS)
}

export function tokensOf(items: readonly WindowItem[], range: Range): number {
  let sum = 0
  for (let index = range.from; index < range.to; index += 1) sum += items[index]?.tokens ?? 0
  return sum
}

function* runsOfOneDepth(items: readonly WindowItem[], irreducible: ReadonlySet<string>): Generator<Group> {
  let from = 0
  let depth: number | null = null
  for (let index = 0; index <= items.length; index += 1) {
    const item = items[index]
    const own = item && item.summaryId !== null && !irreducible.has(item.id) ? item.depth : null
    if (own === depth) continue
    if (depth !== null) yield { from, to: index, depth }
    from = index
    depth = own
  }
}
