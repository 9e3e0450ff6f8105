import { ROLES } from '#core/contract/ids.ts'
import type { RankedRows, TextIndex } from '../indexes/corpus.ts'
import { hasRow, intersection, NO_ROWS, type RowSet, union } from '../indexes/row-set.ts'
import type { Nearness } from '../meaning/nearness.ts'
import { expressionPlan, type Plan } from '../planning/plan.ts'
import { type AskedWord, expressionOf, type FoundWord, spoken } from '../planning/question-words.ts'
import type { Searched } from '../planning/search.ts'
import { rankedTerms, rankingMatch } from '../query/index-expression.ts'
import type { Expression } from '../query/query.ts'
import type { Rank, Ranked, ScoreParts } from './ranking.ts'
import { rarity, withFormsAsOne } from './word-scores.ts'

/*
 * How a question is answered: by any of its words, in any form with the same stem, the best first. A hit is lifted by
 * its neighbours in the conversation and by the summary that covers it. What is measured of it stands in
 * docs/decisions/0010-search.md.
 */

/** The output of a tool holds many words and answers few questions. */
const TOOL_SHARE = 0.4
const TOOL = ROLES.indexOf('tool')
/** A shorter message says little, though few words make each of them count more. */
const SHORT_TOKENS = 30
/** How much of the score of its neighbours a message gets: of the next ones, and of those behind them. */
const NEIGHBOUR_SHARES = [0.1, 0.05] as const
/** How much of the score of the summary that covers it a message gets. */
const SUMMARY_SHARE = 0.3
/** At most this many summaries lift what they cover. */
const SUMMARIES = 200
/** Above every score by words. */
const HAS_ALL = 1000

/** What comes first: what has all words, or what scores best. */
export type First = 'all words' | 'best'

type QuestionOptions = {
  /** The words that are searched for. */
  readonly words: readonly FoundWord[]
  /** All words of the question. */
  readonly asked: readonly AskedWord[]
  /** The indexes of all corpora that are searched, and how many rows each of them has. */
  readonly indexes: ReadonlyMap<TextIndex, number>
  readonly summaries: TextIndex
  /** Returns the messages that summaries cover, by the row of the summary. */
  readonly covered: (summaryRows: readonly number[]) => ReadonlyMap<number, readonly number[]>
  /** What the question finds by what it says. */
  readonly near: Nearness['rows']
  readonly first: First
}

/** Returns the plan of a question that is answered by indexes, and how its hits are ranked. */
export function questionPlan({ words, asked, indexes, summaries, covered, near, first }: QuestionOptions): {
  readonly plan: Plan
  readonly rank: Rank
} {
  const any = (of: readonly Expression[]): Expression => ({ kind: 'any', of })
  const pairs = words.flatMap((word) => word.pairs ?? [])
  const texts = words.filter((word) => !word.pairs)
  const indexed = any(texts.map((word) => word.indexed))
  const hasNear = near.message.size + near.summary.size > 0
  const ofWords = expressionPlan(
    any((words.length > 0 ? words.map(({ word }) => word) : asked).map(expressionOf)),
    indexed,
  )
  const plan: Plan = {
    ...ofWords,
    ranking:
      texts.length > 0 && ofWords.ranking
        ? [ofWords.ranking, ...spoken(texts, [...indexes.keys()])].join(' OR ')
        : null,
    // The index does not know what is found by its meaning.
    exact: texts.length > 0 && pairs.length === 0 && !hasNear ? ofWords.exact : null,
    candidates: (index, kind, range) => {
      const found = texts.length > 0 ? ofWords.candidates(index, kind, range) : { rows: NO_ROWS, certain: NO_ROWS }
      const others = pairs.map((rowsOf) => rowsOf.get(index) ?? NO_ROWS)
      if (near[kind].size > 0) others.push(Float64Array.from(near[kind].keys()).sort())
      return others.reduce((before, all) => {
        const rows = range === null ? all : all.filter((row) => row >= range.first && row <= range.last)
        return { rows: union(before.rows, rows), certain: union(before.certain, rows) ?? NO_ROWS }
      }, found)
    },
    needsNeighbours: true,
  }
  const forms = texts.map(({ indexed }) => formsOf(indexed))
  const bestIn = (index: TextIndex, limit: number, among: Float64Array | null): RankedRows =>
    plan.ranking === null
      ? { rows: NO_ROWS, scores: NO_ROWS }
      : withFormsAsOne(index.best(plan.ranking, limit, among), forms, index, indexes.get(index) ?? 0)
  const best = once((index, limit) => bestIn(index, limit, null))
  const all = words.length < 2 || texts.length === 0 ? null : matchOfAll(texts.map((word) => word.indexed))
  const rowsWithAll = (index: TextIndex): Float64Array | null => {
    if (first === 'best' || words.length < 2 || (all === null && (texts.length > 0 || pairs.length === 0))) return null
    const withTexts: RowSet = all === null ? null : index.rows(all, null)
    return pairs.reduce<RowSet>((rows, rowsOf) => intersection(rows, rowsOf.get(index) ?? NO_ROWS), withTexts)
  }
  const rank: Rank = (searched, limit) => {
    if (!searched.index) return { scores: new Map(), floor: null }
    // What the meaning of a row counts depends on the best row by words, whether or not filters allow that one.
    const { rows, scores } = hasNear ? best(searched.index, limit) : bestIn(searched.index, limit, searched.fewRanked)
    const base = baseScores(searched, rows, scores)
    for (const rowsOf of pairs) addPair(base, searched, rowsOf.get(searched.index) ?? NO_ROWS)
    const withAll = rowsWithAll(searched.index)
    const lifts =
      searched.corpus.kind === 'message' && plan.ranking !== null
        ? summaryLifts(plan.ranking, summaries, covered)
        : new Map()
    const floor = rows.length === limit ? scores.reduce((least, score) => Math.min(least, score), Infinity) : null
    const scale = hasNear
      ? Math.max(0, ...indexes.keys().map((index) => best(index, limit).scores.reduce((a, b) => Math.max(a, b), 0)))
      : 0
    return { ...lifted(searched, base, { withAll, lifts, meaning: meanings(searched, near, scale) }), floor }
  }
  return { plan, rank }
}

/** Asks an index for its best rows once, however many corpora need them. */
function once(best: (index: TextIndex, limit: number) => RankedRows): (index: TextIndex, limit: number) => RankedRows {
  const known = new Map<TextIndex, { readonly limit: number; readonly found: RankedRows }>()
  return (index, limit) => {
    const before = known.get(index)
    if (before?.limit === limit) return before.found
    const found = best(index, limit)
    known.set(index, { limit, found })
    return found
  }
}

/**
 * What rows get for what they say, by index: the nearest as much as the best row gets for its words, or 1 when no row
 * has any.
 * @param scale the score of the best row by its words
 */
export function meanings(
  { corpus, catalogue, isCandidate }: Pick<Searched, 'corpus' | 'catalogue' | 'isCandidate'>,
  near: Nearness['rows'],
  scale: number,
): ReadonlyMap<number, number> {
  const unit = scale > 0 ? scale : 1
  const places = Array.from(near[corpus.kind], ([row, nearness]) => [catalogue.indexOf(row), unit * nearness] as const)
  return new Map(places.filter(([index]) => index >= 0 && isCandidate(index)))
}

/** Returns the FTS5 queries for the forms of a word. */
const formsOf = (word: Expression): string[] =>
  rankedTerms(word).flatMap((term) => rankingMatch({ kind: 'term', term }) ?? [])

function matchOfAll(words: readonly Expression[]): string | null {
  const matches = words.map((word) => formsOf(word).join(' OR '))
  return matches.includes('') ? null : matches.map((match) => `(${match})`).join(' AND ')
}

/** The scores of the candidates by their own words. */
function baseScores(searched: Searched, rows: Float64Array, scores: Float64Array): Map<number, number> {
  const { catalogue, isCandidate } = searched
  const base = new Map<number, number>()
  rows.forEach((row, at) => {
    const index = catalogue.indexOf(row)
    if (isCandidate(index)) base.set(index, (scores[at] as number) * ownShare(searched, index))
  })
  return base
}

/** Adds what a pair of characters counts to the rows that have it. */
function addPair(base: Map<number, number>, searched: Searched, rows: Float64Array): void {
  const { catalogue, isCandidate } = searched
  const score = rarity(rows.length, catalogue.length)
  for (const row of rows) {
    const index = catalogue.indexOf(row)
    if (isCandidate(index)) base.set(index, (base.get(index) ?? 0) + score * ownShare(searched, index))
  }
}

/** How much the words of a row count. */
export function ownShare({ corpus, catalogue }: Pick<Searched, 'corpus' | 'catalogue'>, index: number): number {
  if (corpus.kind !== 'message') return 1
  const tokens = catalogue.tokens[index] || SHORT_TOKENS
  return Math.sqrt(Math.min(1, tokens / SHORT_TOKENS)) * (catalogue.groups[index] === TOOL ? TOOL_SHARE : 1)
}

/** What summaries add to the messages that they cover, by the row of the message. */
function summaryLifts(
  match: string,
  summaries: TextIndex,
  covered: (summaryRows: readonly number[]) => ReadonlyMap<number, readonly number[]>,
): ReadonlyMap<number, number> {
  const { rows, scores } = summaries.best(match, SUMMARIES, null)
  const lifts = new Map<number, number>()
  const messages = covered([...rows])
  rows.forEach((row, at) => {
    for (const message of messages.get(row) ?? []) {
      lifts.set(message, Math.max(lifts.get(message) ?? 0, (scores[at] as number) * SUMMARY_SHARE))
    }
  })
  return lifts
}

/** What lifts rows beside their own words. */
type Lifts = {
  /** The rows with all words, ascending. */
  readonly withAll: Float64Array | null
  /** What summaries add to the messages that they cover, by the row of the message. */
  readonly lifts: ReadonlyMap<number, number>
  /** What rows get for what they say, by index. */
  readonly meaning: ReadonlyMap<number, number>
}

/**
 * Adds what rows say, and the words of their neighbours and of the covering summary. What the neighbours say in other
 * words lifts nothing: it lifted more that is no answer than that is one.
 */
export function lifted(
  { catalogue }: Pick<Searched, 'catalogue'>,
  base: ReadonlyMap<number, number>,
  { withAll, lifts, meaning }: Lifts,
): Pick<Ranked, 'scores'> & { readonly partsOf: (index: number) => ScoreParts } {
  const { before, after } = catalogue.neighbours
  const own = (index: number): number => base.get(index) ?? 0
  const neighbours = (index: number): number => {
    let sum = 0
    let [previous, next] = [index, index]
    for (const share of NEIGHBOUR_SHARES) {
      previous = before[previous] ?? -1
      next = after[next] ?? -1
      sum += share * (own(previous) + own(next))
    }
    return sum
  }
  const partsOf = (index: number): ScoreParts => {
    const row = catalogue.rows[index] as number
    return {
      words: own(index),
      ...(meaning.size > 0 && { meaning: meaning.get(index) ?? 0 }),
      neighbours: neighbours(index),
      summary: lifts.get(row) ?? 0,
      hasAll: withAll !== null && hasRow(withAll, row),
    }
  }
  const scores = new Map<number, number>()
  for (const index of new Set([...base.keys(), ...meaning.keys()])) {
    const { words, meaning: said = 0, neighbours: near, summary, hasAll } = partsOf(index)
    scores.set(index, words + said + near + summary + (hasAll ? HAS_ALL : 0))
  }
  return { scores, partsOf }
}
