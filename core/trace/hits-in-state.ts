import { MOST_TRACED_HITS } from '../contract/lists.ts'
import type { GrepHit, GrepInput, GrepResult } from '../contract/retrieval.ts'
import type { FactState } from '../contract/trace.ts'
import type { FactStateFinder } from './fact-states.ts'

export type StatedHit = GrepHit & { readonly state: FactState }

export type HitsInState = {
  readonly states: Pick<FactStateFinder, 'of'>
  search(input: GrepInput, signal?: AbortSignal): Promise<GrepResult>
}

/** At most this many hits are traced at once. */
const BATCH = 12

/**
 * Returns the hits of which this became in the window, as many as a page has. A search traces a limited number of hits;
 * the cursor goes on behind the last one that was traced.
 * @throws LcmError see `Grep.search`
 */
export async function hitsInState(
  { states, search }: HitsInState,
  input: GrepInput,
  wanted: ReadonlySet<FactState>,
  signal?: AbortSignal,
): Promise<Omit<GrepResult, 'hits'> & { readonly hits: StatedHit[] }> {
  const hits: StatedHit[] = []
  let traced = 0
  let tookMs = 0
  for (let cursor = input.cursor; ; ) {
    // How a query is understood depends on how many hits the first page may have; a cursor keeps it.
    const size = cursor === undefined ? input.limit : Math.max(input.limit, BATCH)
    const limit = Math.min(size, MOST_TRACED_HITS - traced)
    // Were counting to stop after some time, the speed of the machine would decide what the cursor holds.
    const asked = { ...input, ...(cursor !== undefined && { cursor }), exactTotal: true }
    let page = await search({ ...asked, limit }, signal)
    tookMs += page.tookMs
    let read = 0
    while (read < page.hits.length && hits.length < input.limit) {
      const batch = page.hits.slice(read, read + BATCH)
      for (const hit of await statedHits(states, batch, signal)) {
        if (hits.length === input.limit) break
        read += 1
        if (wanted.has(hit.state)) hits.push(hit)
      }
    }
    traced += read
    // The page ends behind its last hit that was read.
    if (read < page.hits.length) page = await search({ ...asked, limit: read }, signal)
    const { nextCursor } = page
    const isAtEnd = nextCursor === null
    if (isAtEnd || hits.length === input.limit || traced === MOST_TRACED_HITS) {
      const notes = isAtEnd || hits.length === input.limit ? [] : [stopped(traced)]
      const totalIsExact = isAtEnd && input.cursor === undefined
      return { ...page, total: hits.length, totalIsExact, hits, notes: [...page.notes, ...notes], tookMs }
    }
    cursor = nextCursor
  }
}

const stopped = (traced: number): string =>
  `${traced.toLocaleString('en-US')} hits were traced, and more have not been: the cursor goes on with them.`

/** Returns hits with their states. */
async function statedHits(
  states: HitsInState['states'],
  hits: readonly GrepHit[],
  signal: AbortSignal | undefined,
): Promise<StatedHit[]> {
  const ids = hits.map(({ id }) => id)
  const traced = (await states.of({ ids, budgetMs: Number.POSITIVE_INFINITY }, signal)).states
  const known = new Map(traced.map(({ id, state }) => [id, state]))
  return hits.map((hit) => ({ ...hit, state: known.get(hit.id) ?? 'unknown' }))
}
