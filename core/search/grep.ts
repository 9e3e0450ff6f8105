import { z } from 'zod'
import type { Capabilities } from '../contract/memory.ts'
import type { GrepInput, GrepResult, GrepStep } from '../contract/retrieval.ts'
import { badCursor, decodeCursor, encodeCursor } from '../cursor.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/memory-reader.ts'
import { TimeSlice } from '../yielding.ts'
import type { Corpus, TextIndexSource } from './corpus.ts'
import { FileGrep, type FileGrepOptions, type Patience } from './file-grep.ts'
import { Filters, kindsOf, type Permitted } from './filters.ts'
import type { HitKey, HitOrder } from './hit-order.ts'
import { hitsOf } from './hits.ts'
import { wordMatch } from './index-expression.ts'
import { MessageCorpus } from './message-corpus.ts'
import { ownIndexes } from './native-text-index.ts'
import { expressionPlan, type Plan } from './plan.ts'
import { planQuestion, type Question, questionHash } from './plan-query.ts'
import type { Expression } from './query.ts'
import { ScanOrder } from './scan-order.ts'
import { ScoreOrder } from './score-order.ts'
import { type Ground, prepareSearch } from './search.ts'
import { SummaryCorpus } from './summary-corpus.ts'
import { TermLookup } from './term-rows.ts'
import { TimeOrder } from './time-order.ts'

/** A word in more rows than this, and in more than this share of all rows, is not searched for on its own. */
const COMMON_ROWS = 500
const COMMON_SHARE = 0.2
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
  /** The sort key of the last hit that was given. JSON has no −Infinity, so null stands for it. */
  after: z.object({ time: z.number().nullable(), corpus: z.int(), row: z.number(), score: z.number() }),
  /** The newest row of each kind when the first page was made. Later pages ignore newer rows. */
  newest: z.record(z.string(), z.number()),
  /** True when no row has all the words, so that rows with some of them are given. */
  isLoosened: z.boolean(),
})
type Cursor = z.infer<typeof Cursor>

/** The hits of a search, and what decides about them. */
type Answer = {
  readonly hits: HitOrder
  /** The words of which each hit contains some, or null when the hits match the question as it was asked. */
  readonly anyOf: readonly Expression[] | null
  readonly isScan: boolean
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
   * @throws LcmError cancelled, not_found; invalid_argument for a pattern or cursor that cannot be right;
   * pattern_too_slow for patterns that go back and forth in a text for longer than 5 s
   */
  async search(input: GrepInput, signal?: AbortSignal, permitted: Permitted | null = null): Promise<GrepResult> {
    const hits: GrepStep['hits'] = []
    const patience = {
      everyMs: Number.POSITIVE_INFINITY,
      countMs: input.exactTotal ? Number.POSITIVE_INFINITY : COUNT_MS,
    }
    for await (const step of this.#steps(input, patience, signal, permitted)) {
      hits.push(...step.hits)
      if (step.result) return { ...step.result, hits }
    }
    throw new Error('a search ended without a result')
  }

  /**
   * Yields the answer while it grows, and counts every candidate. It ends early when the caller stops asking.
   * @throws LcmError see `search`
   */
  stream(input: GrepInput, signal?: AbortSignal): AsyncGenerator<GrepStep, void> {
    return this.#steps(input, { everyMs: STEP_MS, countMs: Number.POSITIVE_INFINITY }, signal)
  }

  async *#steps(
    input: GrepInput,
    { everyMs, countMs }: Patience,
    signal?: AbortSignal,
    permitted: Permitted | null = null,
  ): AsyncGenerator<GrepStep, void> {
    const began = performance.now()
    const question = await planQuestion(input, signal)
    if (!question) {
      const notes = ['There is nothing to look for.']
      const result = { total: 0, totalIsExact: true, nextCursor: null, notes, tookMs: performance.now() - began }
      yield { hits: [], found: 0, scanned: 0, rows: 0, result }
      return
    }
    if (input.scope === 'files') {
      try {
        yield* this.#files.steps(input, question, { everyMs, countMs, allows: permitted?.allowsFile }, signal)
      } finally {
        question.strict.matcher.elsewhere?.close()
      }
      return
    }
    const cursor = input.cursor === undefined ? null : decodeCursor(input.cursor, Cursor)
    if (cursor && cursor.grep !== questionHash(input)) throw badCursor('it belongs to another search')
    try {
      const slice = new TimeSlice(signal, 'The search was cancelled.')
      const grounds = this.#grounds(input, cursor, permitted)
      const { hits, anyOf, isScan } = await answer(input, question, cursor, grounds, slice)
      let given = 0
      let toldAt = performance.now()
      let pageDoneAt: number | null = null
      const progress = async (): Promise<Omit<GrepStep, 'result'>> => {
        const news = hits.page.slice(given)
        given += news.length
        toldAt = performance.now()
        return {
          hits: await hitsOf(news, question, this.#summaries),
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
        grep: questionHash(input),
        given: givenBefore,
        ...total,
        after: finite(hits.keyOf(last as NonNullable<typeof last>)),
        newest: Object.fromEntries(grounds.map(({ corpus, newestRow }) => [corpus.kind, newestRow])),
        isLoosened: anyOf !== null,
      })
      const step = await progress()
      const result = {
        total: total.total,
        totalIsExact: total.isExact,
        nextCursor: hasMore ? encodeCursor(next()) : null,
        notes: this.#notes(question, { hits, anyOf, isScan }, grounds),
        tookMs: performance.now() - began,
      }
      yield { ...step, result }
    } finally {
      question.strict.matcher.elsewhere?.close()
    }
  }

  #grounds(input: GrepInput, cursor: Cursor | null, permitted: Permitted | null): Ground[] {
    const filters = new Filters(this.#db, this.#reader, input, permitted)
    return kindsOf(input).map((kind, order) => {
      const corpus = this.#corpus(kind)
      const { index } = corpus
      const newestRow = cursor?.newest[kind] ?? corpus.newestRow()
      return { corpus, order, newestRow, filters, terms: index && new TermLookup(index) }
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

  #notes({ notes, loose }: Question, { hits, anyOf, isScan }: Answer, grounds: readonly Ground[]): string[] {
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
    if (anyOf && hits.found > 0) told.push('Nothing has all the words; what has some of them is ranked by relevance.')
    if (anyOf && loose?.kind === 'any' && anyOf.length < loose.of.length) {
      told.push('Words that stand nearly everywhere were not looked for on their own.')
    }
    return told
  }
}

/**
 * Returns the hits of the question as it was asked. When there are none and the question may be loosened, the hits of
 * any of its words are returned.
 */
async function answer(
  input: GrepInput,
  question: Question,
  cursor: Cursor | null,
  grounds: readonly Ground[],
  slice: TimeSlice,
): Promise<Answer> {
  const { strict, loose, isPlain } = question
  const mayLoosen = input.match === 'auto' && isPlain && loose?.kind === 'any'
  if (!(mayLoosen && cursor?.isLoosened)) {
    const plan = input.match === 'any' && loose ? expressionPlan(loose) : strict
    const found = await inOrder(input, input.sort, plan, cursor, grounds, slice)
    if (!mayLoosen || cursor) return { ...found, anyOf: null }
    while (found.hits.found === 0 && !found.hits.isDone) await found.hits.step()
    if (found.hits.found > 0) return { ...found, anyOf: null }
  }
  const [first] = grounds
  const rows = first ? (await first.corpus.catalogue(slice)).length : 0
  const telling = loose.of.filter((part) => !isCommon(part, first, rows))
  const anyOf = telling.length > 0 ? telling : loose.of
  const plan = expressionPlan({ kind: 'any', of: anyOf })
  return { ...(await inOrder(input, 'relevance', plan, cursor, grounds, slice)), anyOf }
}

/** Whether so many rows contain the word that it distinguishes nothing. It is false when no index knows. */
function isCommon(expression: Expression, ground: Ground | undefined, rows: number): boolean {
  if (!ground?.terms || expression.kind !== 'term' || wordMatch(expression) === null) return false
  const holding = ground.terms.of(expression.term).rows?.length ?? 0
  return holding > Math.max(COMMON_ROWS, rows * COMMON_SHARE)
}

async function inOrder(
  { limit }: GrepInput,
  sort: GrepInput['sort'],
  plan: Plan,
  cursor: Cursor | null,
  grounds: readonly Ground[],
  slice: TimeSlice,
): Promise<Omit<Answer, 'anyOf'>> {
  const isRanked = sort === 'relevance'
  const searches = await Promise.all(grounds.map((ground) => prepareSearch(ground, plan, isRanked, slice)))
  const after = cursor && keyFrom(cursor.after)
  const isScan = searches.some((searched) => searched.isScan)
  if (!isRanked) {
    return { hits: new TimeOrder(searches, { isNewestFirst: sort === 'newest', limit, after }), isScan }
  }
  const isIndexed = searches.every(({ scored }) => scored !== null)
  return {
    hits: isIndexed ? new ScoreOrder(searches, { limit, after }) : new ScanOrder(searches, { limit, after }),
    isScan,
  }
}

/** A total that is known exactly is kept for later pages, which only find what comes after. */
function totalOf(hits: HitOrder, cursor: Cursor | null): { readonly total: number; readonly isExact: boolean } {
  if (cursor?.isExact) return { total: cursor.total, isExact: true }
  const before = hits.countsAll ? 0 : (cursor?.given ?? 0)
  const counted = before + hits.found
  return { total: hits.isDone ? counted : Math.max(counted, cursor?.total ?? 0), isExact: hits.isDone }
}

const finite = ({ time, ...key }: HitKey): Cursor['after'] => ({
  ...key,
  time: time === Number.NEGATIVE_INFINITY ? null : time,
})
const keyFrom = ({ time, ...key }: Cursor['after']): HitKey => ({
  ...key,
  time: time ?? Number.NEGATIVE_INFINITY,
})
