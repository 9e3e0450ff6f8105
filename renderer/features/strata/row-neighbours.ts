import type { Strata } from '../../../core/contract/strata.ts'

/** The summary before (−1) or after (1) another one in its row; null at the end of it. */
export function besideInRow({ summaries }: Pick<Strata, 'summaries'>, place: number, step: -1 | 1): string | null {
  return summaries.depth[place + step] === summaries.depth[place] ? (summaries.id[place + step] ?? null) : null
}
