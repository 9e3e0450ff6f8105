import type { Breather } from './breather.ts'
import type { Catalogue } from './catalogue.ts'
import type { TextIndex } from './corpus.ts'

/** Hits with their scores; the higher, the better. Hits that are not among them are no better than the worst of them. */
export type Ranked = { readonly indexes: Int32Array; readonly scores: Float64Array }

export type Ranking = {
  readonly index: TextIndex
  readonly match: string
  readonly catalogue: Catalogue
  /** All hits, ascending. */
  readonly indexes: Int32Array
  /** Whether these are all that the query finds. */
  readonly isUnfiltered: boolean
  /** How many of the best are asked for. */
  readonly wanted: number
  /** Beginning to read the index is what takes long: it is done once. */
  readonly isSlowToStart: boolean
}

/** Hits scored by one statement; the common words of a large file are scored in several, so that nothing waits. */
const SCORED_AT_ONCE = 20_000
/** Read beyond those asked for: of equally good hits all are needed, to tell which is the newest. */
const SPARE = 500

/** The best of the hits by the index's own BM25, or all of them where that is as well. */
export async function rankedByIndex(ranking: Ranking, breather: Breather): Promise<Ranked> {
  const { indexes, wanted, isUnfiltered } = ranking
  const isMany = indexes.length > 4 * (wanted + SPARE)
  const best = isMany && isUnfiltered ? await bestOf(ranking, breather) : null
  return best ?? { indexes, scores: await allScores(ranking, breather) }
}

/** The first and last row of each stretch of hits. */
function* stretches({
  indexes,
  catalogue,
  isSlowToStart,
}: Ranking): Generator<[from: number, to: number, start: number]> {
  const rowAt = (place: number): number => catalogue.rows[indexes[place] as number] as number
  const length = isSlowToStart ? indexes.length : SCORED_AT_ONCE
  for (let start = 0; start < indexes.length; start += length) {
    yield [rowAt(start), rowAt(Math.min(start + length, indexes.length) - 1), start]
  }
}

/** null when so many are equally good that it is not known which are the newest of them. */
async function bestOf(ranking: Ranking, breather: Breather): Promise<Ranked | null> {
  const { index, match, catalogue, wanted } = ranking
  const limit = wanted + SPARE
  const found: [row: number, score: number][] = []
  let leftOut = Number.NEGATIVE_INFINITY
  for (const [from, to] of stretches(ranking)) {
    const some = index.best(match, from, to, limit).filter(([row]) => catalogue.indexOf(row) >= 0)
    if (some.length >= limit) leftOut = Math.max(leftOut, some.at(-1)?.[1] ?? 0)
    found.push(...some)
    await breather.pause()
  }
  found.sort((a, b) => b[1] - a[1])
  const worst = found[wanted - 1]?.[1]
  if (worst === undefined || leftOut >= worst) return null
  const best = found
    .filter(([, score]) => score >= worst)
    .map(([row, score]) => [catalogue.indexOf(row), score] as const)
  return { indexes: Int32Array.from(best, ([at]) => at), scores: Float64Array.from(best, ([, score]) => score) }
}

async function allScores(ranking: Ranking, breather: Breather): Promise<Float64Array> {
  const { index, match, catalogue, indexes } = ranking
  const scores = new Float64Array(indexes.length)
  for (const [from, to, start] of stretches(ranking)) {
    const found = index.scores(match, from, to)
    for (let place = start; place < indexes.length; place += 1) {
      const row = catalogue.rows[indexes[place] as number] as number
      if (row > to) break
      scores[place] = found.get(row) ?? 0
    }
    await breather.pause()
  }
  return scores
}
