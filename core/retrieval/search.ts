import type { Breather } from './breather.ts'
import type { Catalogue } from './catalogue.ts'
import type { Corpus, TextIndex } from './corpus.ts'
import { trigramMatch, wordMatch } from './index-expression.ts'
import { ExpressionMatcher, type Matcher } from './matcher.ts'
import type { Expression, Term } from './query.ts'
import { difference, intersection, type RowSet, union } from './row-set.ts'

const NO_ROWS = new Float64Array(0)

/** How to answer a query: by an index alone, by an index and then the texts, or by the texts alone. */
export type Plan = {
  readonly matcher: Matcher
  /** FTS5 query that finds exactly the hits; null when the texts must be looked at. */
  readonly exact: string | null
  /** Rows that include all hits. */
  candidates(index: TextIndex): RowSet
  /** Rows that are hits for certain: their texts need not be read. */
  certain(index: TextIndex): Float64Array
  /** Stands in every hit, in one of its texts, character by character; null when nothing such is known. */
  readonly holds: string | null
}

/** What a search found in one corpus. */
export type Found = {
  readonly corpus: Corpus
  readonly catalogue: Catalogue
  /** Ascending. */
  readonly indexes: Int32Array
  /** By place in `indexes`; the higher, the better. null when nobody asked. */
  readonly scores: Float64Array | null
  /** Every text was read. */
  readonly isScan: boolean
}

export const expressionPlan = (expression: Expression): Plan => ({
  matcher: new ExpressionMatcher(expression),
  exact: wordMatch(expression),
  candidates: (index) => candidatesOf(expression, index),
  certain: (index) => certainOf(expression, index),
  holds: heldBy(expression),
})

/** For what is found by a text that must stand, as it is, in every hit; '' when there is none. */
export const textPlan = (text: string, matcher: Matcher): Plan => {
  const match = trigramMatch(text)
  return {
    matcher,
    exact: null,
    candidates: (index) => (match === null ? null : index.trigrams(match)),
    certain: () => NO_ROWS,
    // Texts of several parts are joined by line ends, which are in none of them.
    holds: text === '' || text.includes('\n') ? null : text,
  }
}

function candidatesOf(expression: Expression, index: TextIndex): RowSet {
  const words = wordMatch(expression)
  if (words !== null) return index.words(words)
  switch (expression.kind) {
    case 'term':
      return literalCandidates(expression.term, index)
    case 'all':
      return expression.of.map((part) => candidatesOf(part, index)).reduce(intersection, null)
    case 'any':
      return expression.of.map((part) => candidatesOf(part, index)).reduce(union, NO_ROWS)
    case 'without':
      return difference(candidatesOf(expression.from, index), certainOf(expression.what, index))
  }
}

function certainOf(expression: Expression, index: TextIndex): Float64Array {
  const words = wordMatch(expression)
  if (words !== null) return index.words(words)
  switch (expression.kind) {
    case 'term':
      return NO_ROWS
    case 'all':
      return expression.of.map((part) => certainOf(part, index)).reduce((a, b) => intersection(a, b) ?? NO_ROWS)
    case 'any':
      return expression.of.map((part) => certainOf(part, index)).reduce((a, b) => union(a, b) ?? NO_ROWS)
    case 'without': {
      const from = certainOf(expression.from, index)
      const perhaps = from.length === 0 ? NO_ROWS : candidatesOf(expression.what, index)
      return perhaps === null ? NO_ROWS : (difference(from, perhaps) ?? NO_ROWS)
    }
  }
}

function heldBy(expression: Expression): string | null {
  switch (expression.kind) {
    case 'term':
      return expression.term.kind === 'literal' && isCaseless(expression.term.text) ? expression.term.text : null
    case 'all': {
      const held = expression.of.map(heldBy).filter((text) => text !== null)
      return held.toSorted((a, b) => b.length - a.length)[0] ?? null
    }
    case 'any':
      return null
    case 'without':
      return heldBy(expression.from)
  }
}

const isCaseless = (text: string): boolean => text.toUpperCase() === text.toLowerCase() && !text.includes('\n')

function literalCandidates(term: Term, index: TextIndex): RowSet {
  const match = term.kind === 'literal' ? trigramMatch(term.text) : null
  return match === null ? null : index.trigrams(match)
}

/**
 * All hits of a corpus.
 * @param mask indexes that may be hit; null for all
 */
export async function searchCorpus(
  corpus: Corpus,
  plan: Plan,
  mask: Uint8Array | null,
  ranking: 'ranked' | 'unranked',
  breather: Breather,
  catalogue: Catalogue,
): Promise<Found> {
  const { index } = corpus
  const base = { corpus, catalogue }
  const allowed = (indexes: Int32Array): Int32Array =>
    mask === null ? indexes : indexes.filter((place) => mask[place] === 1)
  await breather.pause()
  if (index && plan.exact !== null) {
    const indexes = allowed(catalogue.indexesOf(index.words(plan.exact)))
    const scores = ranking === 'ranked' ? await indexScores(index, plan.exact, catalogue, indexes, breather) : null
    return { ...base, indexes, scores, isScan: false }
  }
  const rows = index ? plan.candidates(index) : null
  const certain = index && ranking === 'unranked' ? plan.certain(index) : NO_ROWS
  const doubtful = certain.length === 0 ? rows : difference(rows ?? catalogue.rows, certain)
  const candidates = allowed(doubtful === null ? Int32Array.from(catalogue.rows.keys()) : catalogue.indexesOf(doubtful))
  const isScan = rows === null
  const { indexes, scores } = await verified(
    base,
    plan.matcher,
    candidates,
    isScan ? plan.holds : null,
    ranking,
    breather,
  )
  if (certain.length === 0) return { ...base, indexes, scores, isScan }
  const sure = allowed(catalogue.indexesOf(certain))
  return { ...base, indexes: Int32Array.from([...indexes, ...sure]).sort(), scores, isScan }
}

/** Hits scored by one statement; the common words of a large file are scored in several, so that nothing waits. */
const SCORED_AT_ONCE = 20_000

async function indexScores(
  index: TextIndex,
  match: string,
  catalogue: Catalogue,
  indexes: Int32Array,
  breather: Breather,
): Promise<Float64Array> {
  const scores = new Float64Array(indexes.length)
  for (let start = 0; start < indexes.length; start += SCORED_AT_ONCE) {
    const some = indexes.subarray(start, start + SCORED_AT_ONCE)
    const rowAt = (place: number): number => catalogue.rows[some[place] as number] as number
    const found = index.scores(match, rowAt(0), rowAt(some.length - 1))
    for (let place = 0; place < some.length; place += 1) scores[start + place] = found.get(rowAt(place)) ?? 0
    await breather.pause()
  }
  return scores
}

/** Rows whose texts are read at once; fewer where they are long. */
const LARGEST_BATCH = 4096

async function verified(
  { corpus, catalogue }: Pick<Found, 'corpus' | 'catalogue'>,
  matcher: Matcher,
  candidates: Int32Array,
  holds: string | null,
  ranking: 'ranked' | 'unranked',
  breather: Breather,
): Promise<{ indexes: Int32Array; scores: Float64Array | null }> {
  const hits: number[] = []
  const weights: Weights[] = []
  let size = 16
  for (let start = 0; start < candidates.length; ) {
    const began = performance.now()
    const batch = candidates.subarray(start, start + size)
    const rows = Array.from(batch, (index) => catalogue.rows[index] as number)
    const texts = corpus.texts(holds === null ? rows : corpus.holding(rows, holds))
    for (const index of batch) {
      const fields = texts.get(catalogue.rows[index] as number)
      if (!fields || !matcher.matches(fields)) continue
      hits.push(index)
      if (ranking === 'ranked') {
        const characters = fields.reduce((sum, field) => sum + field.length, 0)
        weights.push({ frequencies: matcher.frequencies(fields), characters })
      }
    }
    start += batch.length
    const took = performance.now() - began
    size = took > 10 ? Math.max(1, size >> 1) : Math.min(LARGEST_BATCH, size << 1)
    await breather.pause()
  }
  const scores = ranking === 'ranked' ? bm25(weights, matcher.termCount, catalogue.length) : null
  return { indexes: Int32Array.from(hits), scores }
}

type Weights = { readonly frequencies: readonly number[]; readonly characters: number }

/** Okapi BM25 with FTS5's constants, over the hits; lengths in characters. https://www.sqlite.org/fts5.html#the_bm25_function */
function bm25(hits: readonly Weights[], terms: number, rows: number): Float64Array {
  const average = hits.reduce((sum, hit) => sum + hit.characters, 0) / Math.max(1, hits.length)
  const rarity = Array.from({ length: terms }, (_, term) => {
    const holding = hits.filter((hit) => (hit.frequencies[term] ?? 0) > 0).length
    return Math.max(1e-6, Math.log((rows - holding + 0.5) / (holding + 0.5)))
  })
  return Float64Array.from(hits, ({ frequencies, characters }) =>
    rarity.reduce((sum, idf, term) => {
      const frequency = frequencies[term] ?? 0
      const damped = frequency + 1.2 * (0.25 + (0.75 * characters) / Math.max(1, average))
      return sum + (idf * frequency * 2.2) / damped
    }, 0),
  )
}
