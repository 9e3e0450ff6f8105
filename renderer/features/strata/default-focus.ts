import type { Strata } from '../../../core/contract/strata.ts'

/** The newest of the deepest summaries in the window: what the oldest part of the history has become. Null without one. */
export function defaultFocus({ summaries }: Pick<Strata, 'summaries'>): string | null {
  let best: number | null = null
  const isBetter = (place: number, than: number) => {
    const deeper = (summaries.depth[place] ?? 0) - (summaries.depth[than] ?? 0)
    return deeper > 0 || (deeper === 0 && (summaries.x1[place] ?? 0) >= (summaries.x1[than] ?? 0))
  }
  for (const place of summaries.id.keys())
    if (summaries.inWindow[place] === 1 && (best === null || isBetter(place, best))) best = place
  return best === null ? null : (summaries.id[best] ?? null)
}

/** The summary before (−1) or after (1) another one in its row; null at the end of it. */
export function besideInRow({ summaries }: Pick<Strata, 'summaries'>, place: number, step: -1 | 1): string | null {
  return summaries.depth[place + step] === summaries.depth[place] ? (summaries.id[place + step] ?? null) : null
}
