import type { Strata } from '#core/contract/strata.ts'

type Input = Pick<Strata, 'summaries'>

/**
 * Returns the node to show when none is selected: the newest of the deepest summaries in the window, or of all when the
 * window has none. Returns null without summaries.
 */
export function defaultFocus({ summaries }: Input): string | null {
  const indexes = [...summaries.id.keys()]
  const inWindow = indexes.filter((index) => summaries.inWindow[index] === 1)
  const candidates = inWindow.length > 0 ? inWindow : indexes
  const first = candidates[0]
  if (first === undefined) return null
  const best = candidates.reduce((most, place) => (isBetter(summaries, place, most) ? place : most), first)
  return summaries.id[best] ?? null
}

function isBetter({ depth, x1 }: Strata['summaries'], place: number, than: number): boolean {
  const deeper = (depth[place] ?? 0) - (depth[than] ?? 0)
  return deeper > 0 || (deeper === 0 && (x1[place] ?? 0) > (x1[than] ?? 0))
}
