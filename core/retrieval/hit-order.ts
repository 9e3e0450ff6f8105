import type { GrepInput } from '../contract/retrieval.ts'
import type { Found } from './search.ts'

/** A hit by where it was found and its index there. */
export type Placed = { readonly found: Found; readonly index: number }

/** The hits from one place to another of everything that was found, in order; the rest is not even sorted. */
export function orderedHits(all: readonly Found[], sort: GrepInput['sort'], from: number, to: number): Placed[] {
  return sort === 'relevance' ? byScore(all, from, to) : byTime(all, sort === 'newest', from, to)
}

/** Hits of one time in the order of the corpora, then by row. */
function byTime(all: readonly Found[], isNewestFirst: boolean, from: number, to: number): Placed[] {
  const lists = all.map((found) => {
    const newestFirst = found.catalogue.newestFirst(found.indexes)
    return { found, indexes: isNewestFirst ? newestFirst : newestFirst.reverse(), next: 0 }
  })
  const merged: Placed[] = []
  for (let place = 0; place < to; place += 1) {
    let best: (typeof lists)[number] | undefined
    let bestTime = 0
    for (const list of lists) {
      const index = list.indexes[list.next]
      if (index === undefined) continue
      const time = list.found.catalogue.times[index] as number
      if (best && (isNewestFirst ? time <= bestTime : time >= bestTime)) continue
      best = list
      bestTime = time
    }
    if (!best) break
    if (place >= from) merged.push({ found: best.found, index: best.indexes[best.next] as number })
    best.next += 1
  }
  return merged
}

/** The best first; of equally good ones the newest. */
function byScore(all: readonly Found[], from: number, to: number): Placed[] {
  const worst = scoreAt(all, to)
  const candidates = all.flatMap((found) =>
    Array.from(found.ranked?.indexes ?? [], (index, place) => ({
      found,
      index,
      score: found.ranked?.scores[place] ?? 0,
    })).filter(({ score }) => score >= worst),
  )
  const timeOf = ({ found, index }: Placed): number => found.catalogue.times[index] as number
  return candidates
    .sort((a, b) => b.score - a.score || (timeOf(b) > timeOf(a) ? 1 : timeOf(b) < timeOf(a) ? -1 : b.index - a.index))
    .slice(from, to)
}

/** The score of the n-th best hit, or of the worst where there are less. */
function scoreAt(all: readonly Found[], n: number): number {
  const lists = all.map((found) => found.ranked?.scores ?? new Float64Array(0))
  const scores = new Float64Array(lists.reduce((sum, list) => sum + list.length, 0))
  let end = 0
  for (const list of lists) {
    scores.set(list, end)
    end += list.length
  }
  return scores.sort()[Math.max(0, scores.length - n)] ?? Number.NEGATIVE_INFINITY
}
