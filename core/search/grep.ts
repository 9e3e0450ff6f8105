import { z } from 'zod'
import type { Capabilities } from '../contract/memory.ts'
import type { GrepInput, GrepResult, GrepStep } from '../contract/retrieval.ts'
import { badCursor, decodeCursor, encodeCursor } from '../cursor.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/memory-reader.ts'
import { TimeSlice } from '../yielding.ts'
import type { TimeKey } from './catalogue.ts'
import type { Corpus, TextIndexSource } from './corpus.ts'
import { FileGrep, type FileGrepOptions, type Patience } from './file-grep.ts'
import { Filters, kindsOf, type Permitted } from './filters.ts'
import { type HitOrder, type Placed, rowOf, timeKeyOf } from './hit-order.ts'
import { type Found, hitsOf } from './hits.ts'
import { ExpressionMatcher, type Matcher } from './matcher.ts'
import type { Meaning } from './meaning/meaning.ts'
import { type Nearness, NOTHING_NEAR } from './meaning/nearness.ts'
import { MessageCorpus } from './message-corpus.ts'
import { ownIndexes } from './native-text-index.ts'
import { expressionPlan, type Plan } from './plan.ts'
import { planQuery, type Query, queryHash } from './plan-query.ts'
import { type AskedWord, foundWord, questionPlan, tellingWords } from './question.ts'
import { type Rank, rankByWords } from './ranking.ts'
import { RelevanceOrder } from './relevance-order.ts'
import { packedRows, unpackedRows } from './row-set.ts'
import { ScanOrder } from './scan-order.ts'
import { type Ground, prepareSearch } from './search.ts'
import { SummaryCorpus } from './summary-corpus.ts'
import { TimeOrder } from './time-order.ts'

/** How long candidates are counted once the page is full, unless the exact total was asked for. */
const COUNT_MS = 10
/** A stream reports what it has found no more often than this. */
const STEP_MS = 50

const Cursor = z.object({
  /** The hash of the question. */
  grep: z.string(),
  /** How many hits all pages so far have given. */
  given: z.int().min(1),
  total: z.int(),
  isExact: z.boolean(),
  /** In an order of time: the sort key of the last hit that was given. JSON has no −Infinity, so null stands for it. */
  after: z.object({ time: z.number().nullable(), corpus: z.int(), row: z.number() }).nullable(),
  /** By relevance, which changes when rows are added: the rows that were given, by kind (see `packedRows`). */
  seen: z.record(z.string(), z.string()),
  /** The newest row of each kind when the first page was made. Later pages ignore newer rows. */
  newest: z.record(z.string(), z.number()),
  isQuestion: z.boolean(),
})
type Cursor = z.infer<typeof Cursor>

/** The hits of a search, and what decides about them. */
type Answer = {
  readonly hits: HitOrder
  readonly sort: GrepResult['sort']
  readonly matcher: Matcher
  /** What is known of the question that was understood, or null when the query was answered as it was asked. */
  readonly question: { readonly leftOut: readonly string[]; readonly note: string | null } | null
  readonly isScan: boolean
}

/** Who searches, and with what. */
type Surroundings = {
  readonly signal: AbortSignal | undefined
  readonly permitted: Permitted | null
  readonly meaning: Meaning | null
}

/** Searches messages, summaries and files. Between two searches it keeps what it knows of the rows. */
export class Grep {
  readonly #db: ReadDb
  readonly #reader: MemoryReader
  readonly #messages: MessageCorpus
  readonly #summaries: SummaryCorpus
  readonly #indexes: TextIndexSource
  readonly #files: FileGrep

  /**
   * @param indexes default: those of the file itself, if it has any
   * @param files how large files are searched
   */
  constructor(
    db: ReadDb,
    capabilities: Capabilities,
    reader: MemoryReader,
    indexes?: TextIndexSource,
    files: FileGrepOptions = { filesDir: null, contentIndexes: null },
  ) {
    const source = indexes ?? ownIndexes(db, capabilities)
    this.#db = db
    this.#reader = reader
    this.#indexes = source
    this.#files = new FileGrep(db, files)
    this.#messages = new MessageCorpus(db, () => source.current()?.messages ?? null, reader)
    this.#summaries = new SummaryCorpus(db, () => source.current()?.summaries ?? null)
  }

  /**
   * Returns a page of hits and their total number, or a lower bound of it. It yields to other work every 20 ms.
   * @param permitted the rows that may be found, or null for all
   * @param meaning finds what a question says in other words; null when only words are searched for
   * @throws LcmError cancelled, not_found; invalid_argument for a pattern or cursor that cannot be right;
   * pattern_too_slow for patterns that go back and forth in a text for longer than 5 s
   */
  async search(
    input: GrepInput,
    signal?: AbortSignal,
    permitted: Permitted | null = null,
    meaning: Meaning | null = null,
  ): Promise<GrepResult> {
    const hits: GrepStep['hits'] = []
    const patience = {
      everyMs: Number.POSITIVE_INFINITY,
      countMs: input.exactTotal ? Number.POSITIVE_INFINITY : COUNT_MS,
    }
    for await (const step of this.#steps(input, patience, { signal, permitted, meaning })) {
      hits.push(...step.hits)
      if (step.result) return { ...step.result, hits }
    }
    throw new Error('a search ended without a result')
  }

  /**
   * Yields the answer while it grows, and counts every candidate. It ends early when the caller stops asking.
   * @throws LcmError see `search`
   */
  stream(input: GrepInput, signal?: AbortSignal, meaning: Meaning | null = null): AsyncGenerator<GrepStep, void> {
    const patience = { everyMs: STEP_MS, countMs: Number.POSITIVE_INFINITY }
    return this.#steps(input, patience, { signal, permitted: null, meaning })
  }

  async *#steps(
    input: GrepInput,
    { everyMs, countMs }: Patience,
    { signal, permitted, meaning }: Surroundings,
  ): AsyncGenerator<GrepStep, void> {
    const began = performance.now()
    const query = await planQuery(input, signal)
    if (!query) {
      const notes = ['There is nothing to look for.']
      const empty = { total: 0, totalIsExact: true, nextCursor: null, sort: input.sort ?? 'newest' }
      const result = { ...empty, notes, tookMs: performance.now() - began }
      yield { hits: [], found: 0, scanned: 0, rows: 0, result }
      return
    }
    if (input.scope === 'files') {
      try {
        yield* this.#files.steps(input, query, { everyMs, countMs, allows: permitted?.allowsFile }, signal)
      } finally {
        query.strict.matcher.elsewhere?.close()
      }
      return
    }
    const cursor = input.cursor === undefined ? null : decodeCursor(input.cursor, Cursor)
    if (cursor && cursor.grep !== queryHash(input)) throw badCursor('it belongs to another search')
    try {
      const slice = new TimeSlice(signal, 'The search was cancelled.')
      const grounds = this.#grounds(input, cursor, permitted)
      const answered = await this.#answer(input, query, cursor, grounds, slice, meaning)
      const { hits, sort } = answered
      const found = foundBy(input, query, answered)
      let given = 0
      let toldAt = performance.now()
      let pageDoneAt: number | null = null
      const progress = async (): Promise<Omit<GrepStep, 'result'>> => {
        const news = hits.page.slice(given)
        given += news.length
        toldAt = performance.now()
        return {
          hits: await hitsOf(news, found, this.#summaries),
          found: hits.found,
          scanned: hits.scanned,
          rows: hits.rows,
        }
      }
      while (!hits.isDone) {
        const isPageNews = hits.isPageDone && pageDoneAt === null
        if (hits.isPageDone) pageDoneAt ??= performance.now()
        if (cursor?.isExact && hits.isPageDone) break
        if (pageDoneAt !== null && performance.now() - pageDoneAt >= countMs) break
        // The caller reads the page while the remaining candidates are counted.
        const isTime = performance.now() - toldAt >= everyMs || (isPageNews && Number.isFinite(everyMs))
        if (isTime) yield { ...(await progress()), result: null }
        await hits.step()
      }
      const last = hits.page.at(-1)
      const total = totalOf(hits, cursor)
      const givenBefore = (cursor?.given ?? 0) + hits.page.length
      const hasMore = last !== undefined && (!total.isExact || givenBefore < total.total)
      const next = (): Cursor => ({
        grep: queryHash(input),
        given: givenBefore,
        ...total,
        after: sort === 'relevance' || !last ? null : finite(timeKeyOf(last)),
        seen: sort === 'relevance' ? withSeen(cursor, hits.page) : {},
        newest: Object.fromEntries(grounds.map(({ corpus, newestRow }) => [corpus.kind, newestRow])),
        isQuestion: answered.question !== null,
      })
      const step = await progress()
      const result = {
        total: total.total,
        totalIsExact: total.isExact,
        nextCursor: hasMore ? encodeCursor(next()) : null,
        sort,
        notes: this.#notes(input, query, answered, grounds),
        tookMs: performance.now() - began,
      }
      yield { ...step, result }
    } finally {
      query.strict.matcher.elsewhere?.close()
    }
  }

  #grounds(input: GrepInput, cursor: Cursor | null, permitted: Permitted | null): Ground[] {
    const filters = new Filters(this.#db, this.#reader, input, permitted)
    return kindsOf(input).map((kind, order) => {
      const corpus = this.#corpus(kind)
      const newestRow = cursor?.newest[kind] ?? corpus.newestRow()
      return { corpus, order, newestRow, filters, index: corpus.index }
    })
  }

  #corpus(kind: Corpus['kind']): Corpus {
    switch (kind) {
      case 'message':
        return this.#messages
      case 'summary':
        return this.#summaries
    }
  }

  /**
   * Answers the query as it was asked, or as a question when that is asked for, or when nothing says otherwise and all
   * its words together find too little.
   */
  async #answer(
    input: GrepInput,
    query: Query,
    cursor: Cursor | null,
    grounds: readonly Ground[],
    slice: TimeSlice,
    meaning: Meaning | null,
  ): Promise<Answer> {
    const { strict, loose, words, isPlain } = query
    const hasTime = input.sort === 'newest' || input.sort === 'oldest'
    const mayBeQuestion = input.match === 'auto' && isPlain && words.length > 0
    const looksLikeQuestion = mayBeQuestion && !hasTime && (words.length >= 3 || /\?\s*$/.test(input.query))
    const isQuestion = cursor ? cursor.isQuestion : input.match === 'question' || looksLikeQuestion
    const asQuestion = (): Promise<Answer | null> => this.#question(input, words, cursor, grounds, slice, meaning)
    const answered = isQuestion ? await asQuestion() : null
    if (answered) return answered
    const plan = input.match === 'any' && loose ? expressionPlan(loose) : strict
    const asked = await inOrder(plan, rankByWords, { input, sort: input.sort ?? 'newest', cursor, grounds, slice })
    if (!mayBeQuestion || cursor || isQuestion) return asked
    const { hits } = asked
    while (!hits.isDone && hits.found < input.limit) await hits.step()
    const isTooLittle = hits.found === 0 || (!hasTime && words.length > 1 && hits.found < input.limit)
    return (isTooLittle ? await asQuestion() : null) ?? asked
  }

  /** Returns null when no word of the question stands anywhere, and nothing says the same in other words. */
  async #question(
    input: GrepInput,
    words: readonly AskedWord[],
    cursor: Cursor | null,
    grounds: readonly Ground[],
    slice: TimeSlice,
    meaning: Meaning | null,
  ): Promise<Answer | null> {
    const sort = input.match === 'question' ? (input.sort ?? 'relevance') : 'relevance'
    const indexes = grounds.flatMap(({ index }) => index ?? [])
    const summaries = this.#summaries.index
    if (words.length === 0) return null
    // A question that was only taken for one, as while it is being typed, is sent to nobody.
    const known = input.match === 'question' && meaning ? await meaning.near(input.query, grounds, slice) : null
    const near = known?.rows ?? NOTHING_NEAR
    const note = known?.note ?? null
    const options = { input, sort, cursor, grounds, slice, near }
    if (indexes.length < grounds.length || !summaries) {
      const plan = expressionPlan({ kind: 'any', of: words.map(({ expression }) => expression) })
      return { ...(await inOrder(plan, rankByWords, options, words)), question: { leftOut: [], note } }
    }
    const found = words.map((word) => foundWord(word, indexes))
    const rows = grounds.map(({ corpus }) => corpus.rowCount())
    const telling = tellingWords(
      found,
      rows.reduce((sum, count) => sum + count, 0),
    )
    if (telling.length === 0 && note === null) return null
    const { plan, rank } = questionPlan({
      words: telling,
      asked: words,
      indexes,
      summaries,
      covered: (summaryRows) => this.#summaries.messagesUnder(summaryRows),
      near,
    })
    const leftOut = found.filter((word) => word.rows > 0 && !telling.includes(word)).map(({ word }) => word.text)
    return { ...(await inOrder(plan, rank, options)), question: { leftOut, note } }
  }

  #notes(input: GrepInput, { notes }: Query, { hits, question, isScan }: Answer, grounds: readonly Ground[]): string[] {
    const told = [...notes]
    if (grounds.length === 0) told.push('Only messages have a role, only summaries a depth: nothing is left.')
    const indexes = this.#indexes.current()
    if (isScan && grounds.length > 0) {
      told.push(
        indexes
          ? 'Answered by a scan of every text: what was looked for is too short, or says too little, for the index.'
          : `Answered by a scan of every text: ${this.#indexes.absence()}`,
      )
    } else if (grounds.length > 0 && indexes?.note) told.push(indexes.note)
    if (input.mode !== 'full_text' && input.sort === 'relevance') {
      told.push('Characters and patterns have no relevance: the newest hits come first.')
    }
    if (question?.note) told.push(question.note)
    if (question && hits.found > 0) {
      if (input.match === 'auto') {
        told.push('Taken as a question: what has all the words comes first, then what has some of them.')
      }
      if (question.leftOut.length > 0) {
        told.push(`Not searched for, because so much has it: ${question.leftOut.join(', ')}.`)
      }
    }
    return told
  }
}

type OrderOptions = {
  readonly input: GrepInput
  readonly sort: GrepResult['sort']
  readonly cursor: Cursor | null
  readonly grounds: readonly Ground[]
  readonly slice: TimeSlice
  /** What a question finds by what it says. */
  readonly near?: Nearness['rows']
}

/** @param words of a question that no index answers */
async function inOrder(
  plan: Plan,
  rank: Rank,
  { input: { limit }, sort: asked, cursor, grounds, slice, near = NOTHING_NEAR }: OrderOptions,
  words: readonly AskedWord[] | null = null,
): Promise<Answer> {
  const searches = await Promise.all(grounds.map((ground) => prepareSearch(ground, plan, slice)))
  const sort =
    asked === 'relevance' && plan.ranking === null && words === null && !plan.needsNeighbours ? 'newest' : asked
  const answered = (hits: HitOrder): Answer => {
    const isScan = searches.some((searched) => searched.isScan)
    return { hits, sort, matcher: plan.matcher, question: null, isScan }
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
      : new ScanOrder(searches, { limit, seen, words, near }),
  )
}

/** What a list says of the hits. A hit of a question has some of its words; any other query decides by its matcher. */
function foundBy(input: GrepInput, { strict, loose, words }: Query, { hits, matcher, question }: Answer): Found {
  const single = words.map(({ text, expression }) => ({ text, matcher: new ExpressionMatcher(expression) }))
  const isLoose = question !== null || (input.match === 'any' && loose !== null)
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

/** A total that is known exactly is kept for later pages, which only find what comes after. */
function totalOf(hits: HitOrder, cursor: Cursor | null): { readonly total: number; readonly isExact: boolean } {
  if (cursor?.isExact) return { total: cursor.total, isExact: true }
  const before = hits.countsAll ? 0 : (cursor?.given ?? 0)
  const counted = before + hits.found
  return { total: hits.isDone ? counted : Math.max(counted, cursor?.total ?? 0), isExact: hits.isDone }
}

/** Returns the rows that were given so far, with those of this page. */
function withSeen(cursor: Cursor | null, page: readonly Placed[]): Cursor['seen'] {
  const rows = new Map(Object.entries(cursor?.seen ?? {}).map(([kind, packed]) => [kind, unpackedRows(packed)]))
  for (const hit of page) {
    const { kind } = hit.searched.corpus
    rows.set(kind, [...(rows.get(kind) ?? []), rowOf(hit)])
  }
  return Object.fromEntries(Array.from(rows, ([kind, some]) => [kind, packedRows(some)]))
}

const finite = ({ time, ...key }: TimeKey): Cursor['after'] => ({
  ...key,
  time: time === Number.NEGATIVE_INFINITY ? null : time,
})
const keyFrom = ({ time, ...key }: NonNullable<Cursor['after']>): TimeKey => ({
  ...key,
  time: time ?? Number.NEGATIVE_INFINITY,
})
