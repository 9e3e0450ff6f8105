import { type Ranked, rankedByIndex } from './best-hits.ts'
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
  /** A candidate that matches all these patterns of LIKE is a hit, others may be; null when none are known. */
  readonly suffices: readonly string[] | null
}

/** What a search found in one corpus. */
export type Found = {
  readonly corpus: Corpus
  readonly catalogue: Catalogue
  /** Ascending. */
  readonly indexes: Int32Array
  /** At least as many of the best as were asked for; null when nobody asked. */
  readonly ranked: Ranked | null
  /** Every text was read. */
  readonly isScan: boolean
}

export const expressionPlan = (expression: Expression): Plan => ({
  matcher: new ExpressionMatcher(expression),
  exact: wordMatch(expression),
  candidates: (index) => candidatesOf(expression, index),
  certain: (index) => certainOf(expression, index),
  holds: heldBy(expression),
  suffices: sufficientFor(expression),
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
    suffices: null,
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

/**
 * SQLite's LIKE makes no difference between small and large letters of ASCII, as the matcher of a literal does not. That
 * words stand in a candidate is known from the index.
 */
function sufficientFor(expression: Expression): string[] | null {
  if (wordMatch(expression) !== null) return []
  if (expression.kind === 'all') {
    const parts = expression.of.map(sufficientFor)
    return parts.includes(null) ? null : parts.flatMap((patterns) => patterns ?? [])
  }
  if (expression.kind !== 'term' || expression.term.kind !== 'literal') return null
  const { text } = expression.term
  return /^[ -~]{1,1000}$/.test(text) ? [`%${text.replace(/[\\%_]/g, '\\$&')}%`] : null
}

const isCaseless = (text: string): boolean => text.toUpperCase() === text.toLowerCase() && !text.includes('\n')

function literalCandidates(term: Term, index: TextIndex): RowSet {
  const match = term.kind === 'literal' ? trigramMatch(term.text) : null
  return match === null ? null : index.trigrams(match)
}

/**
 * All hits of a corpus.
 * @param mask indexes that may be hit; null for all
 * @param wanted how many of the best are asked for; null where relevance is no matter
 */
export async function searchCorpus(
  corpus: Corpus,
  plan: Plan,
  mask: Uint8Array | null,
  wanted: number | null,
  breather: Breather,
  catalogue: Catalogue,
): Promise<Found> {
  const { index } = corpus
  const base = { corpus, catalogue }
  const allowed = (indexes: Int32Array): Int32Array =>
    mask === null ? indexes : indexes.filter((place) => mask[place] === 1)
  await breather.pause()
  if (index && plan.exact !== null) {
    const beganMs = performance.now()
    const words = index.words(plan.exact)
    const isSlowToStart = performance.now() - beganMs > SLOW_START_MS
    const indexes = allowed(catalogue.indexesOf(words))
    if (wanted === null) return { ...base, indexes, ranked: null, isScan: false }
    const ranking = { index, match: plan.exact, catalogue, indexes, isUnfiltered: mask === null, wanted, isSlowToStart }
    return { ...base, indexes, ranked: await rankedByIndex(ranking, breather), isScan: false }
  }
  const rows = index ? plan.candidates(index) : null
  const certain = index && wanted === null ? plan.certain(index) : NO_ROWS
  const doubtful = certain.length === 0 ? rows : difference(rows ?? catalogue.rows, certain)
  const candidates = allowed(doubtful === null ? Int32Array.from(catalogue.rows.keys()) : catalogue.indexesOf(doubtful))
  const isScan = rows === null
  const texts = { holds: isScan ? plan.holds : null, suffices: wanted === null && index ? plan.suffices : null }
  const { indexes, ranked } = await verified(base, plan.matcher, candidates, texts, wanted !== null, breather)
  if (certain.length === 0) return { ...base, indexes, ranked, isScan }
  const sure = allowed(catalogue.indexesOf(certain))
  return { ...base, indexes: Int32Array.from([...indexes, ...sure]).sort(), ranked, isScan }
}

/** An index that takes longer to find the rows of a query (the beginning of many words) takes as long every time. */
const SLOW_START_MS = 20

/** Rows whose texts are read at once; fewer where they are long. */
const LARGEST_BATCH = 4096

async function verified(
  { corpus, catalogue }: Pick<Found, 'corpus' | 'catalogue'>,
  matcher: Matcher,
  candidates: Int32Array,
  { holds, suffices }: Pick<Plan, 'holds' | 'suffices'>,
  isRanked: boolean,
  breather: Breather,
): Promise<{ indexes: Int32Array; ranked: Ranked | null }> {
  const hits: number[] = []
  const weights: Weights[] = []
  let size = 16
  for (let start = 0; start < candidates.length; ) {
    const began = performance.now()
    const batch = candidates.subarray(start, start + size)
    const rows = Array.from(batch, (index) => catalogue.rows[index] as number)
    const sure = new Set(suffices?.reduce((some, pattern) => corpus.liking(some, pattern), rows))
    const doubtful = sure.size === 0 ? rows : rows.filter((row) => !sure.has(row))
    const texts = corpus.texts(holds === null ? doubtful : corpus.holding(doubtful, holds))
    for (const index of batch) {
      const row = catalogue.rows[index] as number
      const fields = texts.get(row)
      if (!sure.has(row) && !(fields && matcher.matches(fields))) continue
      hits.push(index)
      if (isRanked && fields) {
        const characters = fields.reduce((sum, field) => sum + field.length, 0)
        weights.push({ frequencies: matcher.frequencies(fields), characters })
      }
    }
    start += batch.length
    const took = performance.now() - began
    size = took > 10 ? Math.max(1, size >> 1) : Math.min(LARGEST_BATCH, size << 1)
    await breather.pause()
  }
  const indexes = Int32Array.from(hits)
  return { indexes, ranked: isRanked ? { indexes, scores: bm25(weights, matcher.termCount, catalogue.length) } : null }
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
