import type { CompactionSettings } from '../contract/compaction.ts'
import type { WindowItem } from '../window/window.ts'
import { findGroups, findPressedGroups } from './condensation.ts'
import type { Range } from './leaf-chunks.ts'

/** A range of the window that is to become one node, for a plan and for a run. */
export type Step = Range & {
  /** The depth of the node. */
  readonly depth: number
  /** The tokens that its summary should have. */
  readonly targetTokens: number
  /**
   * The most tokens of a summary; a longer one is refused. With Infinity it only has to be smaller than its sources.
   */
  readonly mostTokens: number
}

/** Returns one leaf for each chunk. */
export function leafSteps(chunks: readonly Range[], { leafTargetTokens }: Readonly<CompactionSettings>): Step[] {
  return chunks.map((chunk) => ({
    ...chunk,
    depth: 0,
    targetTokens: leafTargetTokens,
    mostTokens: Number.POSITIVE_INFINITY,
  }))
}

/**
 * Returns one condensed pass: groups of one depth, or, while a goal is not reached, everything that can still be
 * condensed.
 */
export function condensedSteps(
  items: readonly WindowItem[],
  settings: Readonly<CompactionSettings>,
  goalTokens: number | null,
  irreducible?: ReadonlySet<string>,
): Step[] {
  const target = settings.condensedTargetTokens
  const groups = findGroups(items, settings, irreducible)
  if (groups.length > 0 || goalTokens === null) {
    return groups.map(({ from, to, depth }) => ({
      from,
      to,
      depth: depth + 1,
      targetTokens: target,
      mostTokens: Number.POSITIVE_INFINITY,
    }))
  }
  return findPressedGroups(items, settings, goalTokens, irreducible).map(({ from, to, depth, mostTokens }) => ({
    from,
    to,
    depth: depth + 1,
    targetTokens: Math.min(target, mostTokens),
    mostTokens,
  }))
}
