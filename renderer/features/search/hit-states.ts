import { MOST_TRACED_HITS } from '#core/contract/lists.ts'
import type { GrepHit } from '#core/contract/retrieval.ts'
import type { FactState, FactStates } from '#core/contract/trace.ts'
import { formatCount } from '#renderer/ui/texts/format.ts'

/** What became of hits in the window, by their ids. What is missing is still being traced, or was not traced. */
export type HitStates = ReadonlyMap<string, HitState>
export type HitState = Pick<FactStates['states'][number], 'state' | 'inWindow'>
/** What the list is limited to. `lost` stands for dropped and changed. */
export type StateFilter = (typeof STATE_FILTERS)[number]
export const STATE_FILTERS = ['all', 'lost', 'kept', 'partly', 'dropped', 'changed', 'left_out', 'unknown'] as const

/** At most this many hits are asked about at once. */
const BATCH = 12

/** The hits that have to be traced, in batches. A file has no state. */
export function batchesOf(pages: readonly (readonly GrepHit[])[]): readonly (readonly string[])[] {
  const ids = new Set(pages.flat().flatMap(({ id, kind }) => (kind === 'file' ? [] : id)))
  const traced = [...ids].slice(0, MOST_TRACED_HITS)
  return Array.from({ length: Math.ceil(traced.length / BATCH) }, (_, batch) =>
    traced.slice(batch * BATCH, (batch + 1) * BATCH),
  )
}

/** What a row says of a hit. Tracing fails for a hit that is gone, and leaves out those far down the list. */
export const stateOf = (states: HitStates, id: string, isTracing: boolean): HitState | 'tracing' | 'untraced' =>
  states.get(id) ?? (isTracing ? 'tracing' : 'untraced')

/** Leaves out hits of another state. Hits that are still being traced are in no list but that of all. */
export function inState(
  pages: readonly (readonly GrepHit[])[],
  states: HitStates,
  filter: StateFilter,
): readonly (readonly GrepHit[])[] {
  if (filter === 'all') return pages
  return pages.map((page) =>
    page.filter(({ id }) => {
      const state = states.get(id)?.state
      return filter === 'lost' ? state === 'dropped' || state === 'changed' : state === filter
    }),
  )
}

/** The number of loaded hits in each state, each message or summary once. */
export function stateCounts(pages: readonly (readonly GrepHit[])[], states: HitStates): ReadonlyMap<FactState, number> {
  const counts = new Map<FactState, number>()
  for (const id of new Set(pages.flat().map((hit) => hit.id))) {
    const state = states.get(id)?.state
    if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  return counts
}

/**
 * The hits that have all the words, each message or summary once, for the verdict over all of them. Empty while any of
 * them is still being traced, so that the verdict does not change while one reads it.
 */
export function placesOfWords(
  pages: readonly (readonly GrepHit[])[],
  states: HitStates,
): readonly (HitState & { readonly createdAtMs: number | null })[] {
  const saying = new Map(
    pages.flat().flatMap((hit) => (hit.kind === 'file' || hit.isPartial ? [] : [[hit.id, hit.createdAtMs] as const])),
  )
  const known = [...saying]
    .slice(0, MOST_TRACED_HITS)
    .map(([id, createdAtMs]) => ({ state: states.get(id), createdAtMs }))
  if (known.some(({ state }) => state === undefined)) return []
  return known.flatMap(({ state, createdAtMs }) => (state === undefined ? [] : [{ ...state, createdAtMs }]))
}

/** Says which hits the verdict is about, where it is not about all that were found. */
export function scopeOfVerdict(
  places: number,
  pages: readonly (readonly GrepHit[])[],
  hasMore: boolean,
): string | null {
  const listed = new Set(pages.flat().map(({ id }) => id)).size
  if (places === listed && !hasMore) return null
  return `in the ${hasMore ? 'first ' : ''}${formatCount(places)} hits that have all the words`
}
