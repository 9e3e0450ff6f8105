import type { Strata } from '#core/contract/strata.ts'
import type { Buckets } from './buckets.ts'
import { mergeNarrow } from './merge-narrow.ts'
import type { SummaryIndex } from './summary-index.ts'
import { type Scale, toPx } from './viewport.ts'

/** Bars from this width on say what is in them. In narrower windows it is more, because there are fewer bars anyway. */
const WORDS_FROM_PX = 56
const NARROW_WINDOW_PX = 1440
const WORDS_FROM_PX_NARROW = 80
/** More names than this are never in sight. */
const MOST_NAMES = 400

export const wordsFrom = (windowWidth: number): number =>
  windowWidth < NARROW_WINDOW_PX ? WORDS_FROM_PX_NARROW : WORDS_FROM_PX

/** True when single messages are wide enough for words. */
export const hasMessageWords = (scale: Scale, axis: Strata['axis'], fromPx: number): boolean =>
  axis === 'messages' && toPx(scale, scale.x0 + 1) - scale.left >= fromPx

/** Returns the ids of the summaries and messages in sight that are wide enough for words. */
export function namedNodes(
  { axis, summaries }: Strata,
  { rows }: SummaryIndex,
  detail: Buckets | null,
  scale: Scale,
  fromPx: number,
): readonly string[] {
  const ids: string[] = []
  for (const { lanes } of rows)
    for (const entries of lanes)
      for (const { first, last, px0, px1 } of mergeNarrow(
        { x0: summaries.x0, x1: summaries.x1, entries },
        scale,
        fromPx,
      )) {
        const id = first === last && px1 - px0 >= fromPx ? summaries.id[entries[first] ?? 0] : undefined
        if (id !== undefined) ids.push(id)
      }
  if (detail !== null && hasMessageWords(scale, axis, fromPx)) {
    const { x0, x1, count, firstMessage } = detail.columns
    for (const entry of detail.entries)
      if (count[entry] === 1 && (x1[entry] ?? 0) > scale.x0 && (x0[entry] ?? 0) < scale.x1)
        ids.push(`msg_${firstMessage[entry]}`)
  }
  return ids.slice(0, MOST_NAMES)
}
