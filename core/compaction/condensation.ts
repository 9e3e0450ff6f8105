import type { CompactionSettings } from '../contract/compaction.ts'
import type { WindowItem } from '../window/window.ts'
import { LEAST_TOKENS, type Range } from './leaf-chunks.ts'

export type CondenseLimits = Pick<CompactionSettings, 'condensedMinFanout' | 'maxDepth'>

/** Neighbours that become one node. `depth` is the greatest of their depths. */
export type Group = Range & { readonly depth: number }

/**
 * Returns the next summaries to condense: the oldest group at the smallest depth with enough neighbours of that depth.
 * A group has exactly `condensedMinFanout` nodes. So the setting also limits the fan-in, the tree grows evenly, and the
 * newest summaries keep their detail until there are enough of them. Summaries in `irreducible` end a run of
 * neighbours, as everything does that cannot be condensed.
 */
export function findGroups(
  items: readonly WindowItem[],
  { condensedMinFanout, maxDepth }: CondenseLimits,
  irreducible: ReadonlySet<string> = new Set(),
): readonly Group[] {
  const groups: Group[] = []
  let shallowest = maxDepth < 0 ? Number.POSITIVE_INFINITY : maxDepth
  for (const run of runsOf(items, irreducible, (item) => item.depth ?? 0)) {
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

/** A group that is condensed into at most this many tokens. */
export type PressedGroup = Group & { readonly mostTokens: number }

/**
 * Returns what to condense when no depth has enough neighbours and the window is still above the goal: groups of at
 * most `condensedMinFanout` neighbours of any depth, even single nodes, each into its share of the tokens that the goal
 * leaves for summaries. Returns none when the rest of the window alone is above the goal, because nothing would be
 * gained.
 */
export function findPressedGroups(
  items: readonly WindowItem[],
  { condensedMinFanout, maxDepth }: CondenseLimits,
  goalTokens: number,
  irreducible: ReadonlySet<string> = new Set(),
): readonly PressedGroup[] {
  const isFree = (item: WindowItem): boolean => maxDepth < 0 || (item.depth ?? 0) < maxDepth
  const runs = runsOf(items, irreducible, (item) => (isFree(item) ? 0 : null))
  let pressable = 0
  const groups: Group[] = []
  for (const { from: begin, to: end } of runs) {
    for (let from = begin; from < end; from += condensedMinFanout) {
      const range = { from, to: Math.min(end, from + condensedMinFanout) }
      let depth = 0
      for (let index = range.from; index < range.to; index += 1) depth = Math.max(depth, items[index]?.depth ?? 0)
      pressable += tokensOf(items, range)
      groups.push({ ...range, depth })
    }
  }
  const room = goalTokens - (tokensOf(items, { from: 0, to: items.length }) - pressable)
  if (room <= 0) return []
  return groups.flatMap((group) => {
    const tokens = tokensOf(items, group)
    const mostTokens = Math.max(1, Math.floor((room * tokens) / pressable))
    return tokens >= LEAST_TOKENS && mostTokens < tokens ? [{ ...group, mostTokens }] : []
  })
}

export function tokensOf(items: readonly WindowItem[], range: Range): number {
  let sum = 0
  for (let index = range.from; index < range.to; index += 1) sum += items[index]?.tokens ?? 0
  return sum
}

/** Returns runs of summaries with the same value of `depthOf`, which becomes their depth. Null ends a run. */
function* runsOf(
  items: readonly WindowItem[],
  irreducible: ReadonlySet<string>,
  depthOf: (item: WindowItem) => number | null,
): Generator<Group> {
  let from = 0
  let depth: number | null = null
  for (let index = 0; index <= items.length; index += 1) {
    const item = items[index]
    const own = item && item.summaryId !== null && !irreducible.has(item.id) ? depthOf(item) : null
    if (own === depth) continue
    if (depth !== null) yield { from, to: index, depth }
    from = index
    depth = own
  }
}
