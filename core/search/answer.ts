import type { GrepInput, GrepResult } from '../contract/retrieval.ts'
import type { TimeSlice } from '../yielding.ts'
import { type Cursor, keyFrom } from './grep-cursor.ts'
import type { Found } from './hits.ts'
import { unpackedRows } from './indexes/row-set.ts'
import type { SummaryCorpus } from './indexes/summary-corpus.ts'
import type { Meaning } from './meaning/meaning.ts'
import { type Nearness, NOTHING_NEAR } from './meaning/nearness.ts'
import { type HitOrder, stepOf } from './orders/hit-order.ts'
import { type First, questionPlan } from './orders/question.ts'
import { type Rank, rankByWords } from './orders/ranking.ts'
import { RelevanceOrder } from './orders/relevance-order.ts'
import { ScanOrder } from './orders/scan-order.ts'
import { TimeOrder } from './orders/time-order.ts'
import { expressionPlan, type Plan } from './planning/plan.ts'
import { isQuestion, mayBeQuestion, type Query } from './planning/plan-query.ts'
import { type AskedWord, foundWord, tellingWords, typedWords } from './planning/question-words.ts'
import { type Ground, prepareSearch } from './planning/search.ts'
import { ExpressionMatcher, type Matcher } from './query/matcher.ts'

/** The hits of a search, and what decides about them. */
export type Answer = {
  readonly hits: HitOrder
  readonly sort: GrepResult['sort']
  readonly matcher: Matcher
  /** What is known of the question that was understood, or null when the query was answered as it was asked. */
  readonly question: {
    readonly leftOut: readonly string[]
    readonly note: string | null
    readonly isAsked: boolean
  } | null
  readonly isScan: boolean
  /** Whether filters exclude rows that the indexes found. */
  readonly isFiltered: () => boolean
}

/** What is asked for, and where it is searched. */
type SearchRequest = {
  readonly input: GrepInput
  readonly query: Query
  readonly cursor: Cursor | null
  readonly grounds: readonly Ground[]
  readonly slice: TimeSlice
  readonly meaning: Meaning | null
  readonly summaries: SummaryCorpus
}

/**
 * Answers the query as it was asked, or as a question when that is asked for, or when nothing says otherwise and all
 * its words together find too little.
 */
export async function answerTo(asked: SearchRequest): Promise<Answer> {
  const { input, query, cursor, grounds, slice } = asked
  const { strict, loose } = query
  const asksQuestion = cursor?.isQuestion ?? isQuestion(input, query)
  const isAsked = cursor?.isAsked ?? true
  const answered = asksQuestion ? await answerToQuestion(asked, isAsked) : null
  if (answered) return answered
  const plan = input.match === 'any' && loose ? expressionPlan(loose) : strict
  const asWords = await inOrder(plan, rankByWords, { input, sort: input.sort ?? 'newest', cursor, grounds, slice })
  if (!mayBeQuestion(input, query) || cursor || asksQuestion) return asWords
  const { hits } = asWords
  const hasTime = input.sort === 'newest' || input.sort === 'oldest'
  while (!hits.isDone && hits.found < input.limit) await stepOf(hits)
  if (hits.found === 0 && isOneWord(asked) && !asWords.isFiltered()) return asWords
  const isTooLittle = hits.found === 0 || (!hasTime && typedWords(query.words) > 1 && hits.found < input.limit)
  return (isTooLittle ? await answerToQuestion(asked, hits.found > 0) : null) ?? asWords
}

/** Whether indexes would be asked for the same word again, because it has no other forms with its stem. */
function isOneWord({ query: { expression, words }, grounds, summaries }: SearchRequest): boolean {
  const [word, ...more] = words
  const isSame = expression?.kind === 'term' && word?.expression.kind === 'term' && more.length === 0
  const isIndexed = summaries.index !== null && grounds.every(({ index }) => index !== null)
  return isSame && isIndexed && expression.term.kind === 'words' && expression.term === word.expression.term
}

/**
 * Returns null when no word of the question stands anywhere, and nothing says the same in other words.
 * @param isAsked see `tellingWords`
 */
async function answerToQuestion(
  { input, query: { words }, cursor, grounds, slice, meaning, summaries: corpus }: SearchRequest,
  isAsked: boolean,
): Promise<Answer | null> {
  if (words.length === 0) return null
  const sort = input.match === 'question' ? (input.sort ?? 'relevance') : 'relevance'
  const indexes = grounds.flatMap(({ index }) => index ?? [])
  const summaries = corpus.index
  // A question that was only taken for one, as while it is being typed, is sent to nobody.
  const known = input.match === 'question' && meaning ? await meaning.near(input.query, grounds, slice) : null
  const near = known?.rows ?? NOTHING_NEAR
  const note = known?.note ?? null
  const options = { input, sort, cursor, grounds, slice, near, isAsked }
  if (indexes.length < grounds.length || !summaries) {
    const plan = expressionPlan({ kind: 'any', of: words.map(({ expression }) => expression) })
    return { ...(await inOrder(plan, rankByWords, options, words)), question: { leftOut: [], note, isAsked } }
  }
  const found = words.map((word) => foundWord(word, indexes))
  if (note === null && found.every(({ rows }) => rows === 0)) return null
  const rows = grounds.map(({ corpus }) => corpus.known?.length ?? corpus.rowCount())
  const total = rows.reduce((sum, count) => sum + count, 0)
  const telling = [false, true].flatMap((isPair) =>
    tellingWords(
      found.filter(({ pairs }) => isPair === (pairs !== undefined)),
      total,
      isAsked,
    ),
  )
  const { plan, rank } = questionPlan({
    words: telling,
    asked: words,
    indexes: new Map(indexes.map((index, at) => [index, rows[at] as number])),
    summaries,
    covered: (summaryRows) => corpus.messagesUnder(summaryRows),
    near,
    first: firstOf(input),
  })
  const leftOut = found.filter((word) => word.rows > 0 && !telling.includes(word)).map(({ word }) => word.text)
  return { ...(await inOrder(plan, rank, options)), question: { leftOut, note, isAsked } }
}

/** Somebody who asks a question wants what answers it, and somebody who types words wants what has them. */
const firstOf = ({ match }: GrepInput): First => (match === 'question' ? 'best' : 'all words')

type OrderOptions = {
  readonly input: GrepInput
  readonly sort: GrepResult['sort']
  readonly cursor: Cursor | null
  readonly grounds: readonly Ground[]
  readonly slice: TimeSlice
  /** What a question finds by what it says. */
  readonly near?: Nearness['rows']
  readonly isAsked?: boolean
}

/** @param words of a question that no index answers */
async function inOrder(
  plan: Plan,
  rank: Rank,
  { input, sort: asked, cursor, grounds, slice, near = NOTHING_NEAR, isAsked = true }: OrderOptions,
  words: readonly AskedWord[] | null = null,
): Promise<Answer> {
  const searches = await Promise.all(grounds.map((ground) => prepareSearch(ground, plan, slice)))
  const { limit } = input
  const sort =
    asked === 'relevance' && plan.ranking === null && words === null && !plan.needsNeighbours ? 'newest' : asked
  const answered = (hits: HitOrder): Answer => {
    const isScan = searches.some((searched) => searched.isScan)
    const isFiltered = (): boolean => searches.some((searched) => searched.isFiltered)
    return { hits, sort, matcher: plan.matcher, question: null, isScan, isFiltered }
  }
  if (sort !== 'relevance') {
    const after = cursor?.after ? keyFrom(cursor.after) : null
    return answered(new TimeOrder(searches, { isNewestFirst: sort === 'newest', limit, after }))
  }
  const seen = Object.fromEntries(
    Object.entries(cursor?.seen ?? {}).map(([kind, rows]) => [kind, new Set(unpackedRows(rows))]),
  )
  const isIndexed = searches.every(({ index }) => index !== null)
  return answered(
    isIndexed
      ? new RelevanceOrder(searches, { limit, rank, seen })
      : new ScanOrder(searches, { limit, seen, words, isAsked, near, first: firstOf(input) }),
  )
}

/** What a list says of the hits. A hit of a question has some of its words; any other query decides by its matcher. */
export function foundBy(input: GrepInput, query: Query, { hits, matcher, question }: Answer): Found {
  const { strict, loose } = query
  const isLoose = question !== null || (input.match === 'any' && loose !== null)
  const single = (isLoose ? query.words : []).map(({ text, expression }) => ({
    text,
    matcher: new ExpressionMatcher(expression),
  }))
  return {
    matcher,
    partOf: (fields) => {
      if (!isLoose) return { isPartial: false }
      const held = single.filter((word) => word.matcher.matches(fields)).map(({ text }) => text)
      const isPartial = question ? held.length < single.length : !strict.matcher.matches(fields)
      return isPartial ? { isPartial, words: held } : { isPartial }
    },
    explain: (hit) => (input.explain ? hits.partsOf?.(hit) : undefined),
  }
}
