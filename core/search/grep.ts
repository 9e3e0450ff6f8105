import type { Capabilities } from '../contract/memory.ts'
import type { GrepInput, GrepResult, GrepStep, Matches, MatchesInput } from '../contract/retrieval.ts'
import { badCursor, decodeCursor, encodeCursor } from '../cursor.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { TimeSlice } from '../yielding.ts'
import { type Answer, answerTo, foundBy } from './answer.ts'
import { FileGrep, type FileGrepOptions, type Patience } from './files/file-grep.ts'
import { Cursor, storedKey, withSeen } from './grep-cursor.ts'
import { hitsOf } from './hits.ts'
import type { Corpus, TextIndexSource } from './indexes/corpus.ts'
import { MessageCorpus } from './indexes/message-corpus.ts'
import { ownIndexes } from './indexes/native-text-index.ts'
import { SummaryCorpus } from './indexes/summary-corpus.ts'
import type { Meaning } from './meaning/meaning.ts'
import { type HitOrder, type Placed, rowOf, stepOf, timeKeyOf } from './orders/hit-order.ts'
import { Filters, kindsOf, type Permitted } from './planning/filters.ts'
import { planQuery, type Query, queryHash } from './planning/plan-query.ts'
import { type Ground, prepareSearch } from './planning/search.ts'
import { rankingMatch } from './query/index-expression.ts'
import { rangesOf } from './snippet.ts'

/** How long candidates are counted once the page is full, unless the exact total was asked for. */
const COUNT_MS = 5
/** Where only ids are asked for, so many texts are read to count hits beyond the page. A time limit would vary the answer. */
const COUNTED_TEXTS = 100
/** A stream reports what it has found no more often than this. */
const STEP_MS = 50

/** The ids of the hits of a page, and how many hits there are. */
export type FoundIds = { readonly ids: readonly string[] } & Pick<GrepResult, 'total' | 'totalIsExact'>

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
    files: FileGrepOptions = { filesDir: null },
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

  /**
   * Returns what `search` finds without what a list shows of it: no text of a hit is read again. Null when the index
   * alone says that there are more hits than `most`.
   * @throws LcmError see `search`
   */
  async searchIds(input: GrepInput, most: number, signal?: AbortSignal): Promise<FoundIds | null> {
    const query = await planQuery(input, signal)
    if (!query) return { ids: [], total: 0, totalIsExact: true }
    try {
      if (await this.#findsMoreThan(most, input, query, signal)) return null
      const { hits, isScan } = await this.#answered(input, query, signal)
      if (hits.found > most) return null
      while (!hits.isPageDone) await stepOf(hits)
      const totalIsExact = isScan || hits.rows <= COUNTED_TEXTS || hits.page.length < input.limit
      while (totalIsExact && !hits.isDone) await stepOf(hits)
      const ids = this.#idsOf(hits.page)
      return { ids, total: totalIsExact ? hits.found : ids.length, totalIsExact }
    } finally {
      query.strict.matcher.elsewhere?.close()
    }
  }

  /** Whether an index says so of all words together. A question finds at least as many. */
  async #findsMoreThan(most: number, input: GrepInput, { strict }: Query, signal: AbortSignal | undefined) {
    if (strict.exact === null) return false
    const slice = new TimeSlice(signal, 'The search was cancelled.')
    for (const ground of this.#grounds(input, null, null))
      if ((await prepareSearch(ground, strict, slice)).holdsMoreThan(most)) return true
    return false
  }

  /** The ids of hits in their order, without those that were deleted meanwhile. */
  #idsOf(page: readonly Placed[]): string[] {
    const ids = new Map<Corpus, ReadonlyMap<number, string>>()
    for (const [corpus, some] of Map.groupBy(page, ({ searched }) => searched.corpus))
      ids.set(corpus, corpus.ids(some.map(rowOf)))
    return page.flatMap((hit) => ids.get(hit.searched.corpus)?.get(rowOf(hit)) ?? [])
  }

  /** Returns how many messages of the file have a word, or null while no index is there that knows. */
  messagesWith(word: string): number | null {
    const messages = this.#indexes.current()?.messages
    if (!messages) return null
    const match = rankingMatch({ kind: 'term', term: { kind: 'literal', text: word } })
    return match === null ? 0 : messages.count(match, null)
  }

  /**
   * Returns where a text has what a search finds. The matcher that marks its hits decides, so that a question marks
   * its words in every form.
   * @throws LcmError cancelled; invalid_argument, pattern_too_slow for patterns, see `search`
   */
  async matchesIn({ search, text }: MatchesInput, signal?: AbortSignal): Promise<Matches> {
    const query = await planQuery(search, signal)
    if (!query) return { ranges: [], isCut: false }
    const { elsewhere } = query.strict.matcher
    try {
      const { matcher } = search.mode === 'full_text' ? await this.#answered(search, query, signal) : query.strict
      await elsewhere?.look([text])
      return rangesOf(text, matcher)
    } finally {
      elsewhere?.close()
    }
  }

  #answered(search: GrepInput, query: Query, signal: AbortSignal | undefined): Promise<Answer> {
    const input: GrepInput = search.scope === 'files' ? { ...search, scope: 'both' } : search
    const slice = new TimeSlice(signal, 'The search was cancelled.')
    const grounds = this.#grounds(input, null, null)
    return answerTo({ input, query, cursor: null, grounds, slice, meaning: null, summaries: this.#summaries })
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
      const summaries = this.#summaries
      const answered = await answerTo({ input, query, cursor, grounds, slice, meaning, summaries })
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
        const isTooLong = hits.isCountingLong && Number.isFinite(countMs)
        if (pageDoneAt !== null && (isTooLong || performance.now() - pageDoneAt >= countMs)) break
        // The caller reads the page while the remaining candidates are counted.
        const isTime = performance.now() - toldAt >= everyMs || (isPageNews && Number.isFinite(everyMs))
        if (isTime) yield { ...(await progress()), result: null }
        await stepOf(hits)
      }
      const last = hits.page.at(-1)
      const total = totalOf(hits, cursor)
      const givenBefore = (cursor?.given ?? 0) + hits.page.length
      const hasMore = last !== undefined && (!total.isExact || givenBefore < total.total)
      const next = (): Cursor => ({
        grep: queryHash(input),
        given: givenBefore,
        ...total,
        after: sort === 'relevance' || !last ? null : storedKey(timeKeyOf(last)),
        seen: sort === 'relevance' ? withSeen(cursor, hits.page) : {},
        newest: Object.fromEntries(grounds.map(({ corpus, newestRow }) => [corpus.kind, newestRow])),
        isQuestion: answered.question !== null,
        ...(answered.question?.isAsked === false && { isAsked: false as const }),
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

  #notes(input: GrepInput, { notes }: Query, { hits, question, isScan }: Answer, grounds: readonly Ground[]): string[] {
    const told = [...notes]
    if (grounds.length === 0) told.push('Only messages have a role, only summaries a depth: nothing is left.')
    const indexes = this.#indexes.current()
    if (isScan && grounds.length > 0) {
      told.push(
        indexes
          ? 'Every text was read: what was looked for is too short, or says too little, for the index.'
          : `Every text was read: ${this.#indexes.absence()}`,
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

/** A total that is known exactly is kept for later pages, which only find what comes after. */
function totalOf(hits: HitOrder, cursor: Cursor | null): { readonly total: number; readonly isExact: boolean } {
  if (cursor?.isExact) return { total: cursor.total, isExact: true }
  const before = hits.countsAll ? 0 : (cursor?.given ?? 0)
  const counted = before + hits.found
  return { total: hits.isDone ? counted : Math.max(counted, cursor?.total ?? 0), isExact: hits.isDone }
}
