import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Capabilities } from '../contract/memory.ts'
import type { GrepHit, GrepInput, GrepResult } from '../contract/retrieval.ts'
import type { HistoryIndex } from '../conversations/history-index.ts'
import type { ReadDb } from '../db/read-db.ts'
import { Breather } from './breather.ts'
import type { Catalogue } from './catalogue.ts'
import type { Corpus, TextIndexSource } from './corpus.ts'
import { badCursor, decodeCursor, encodeCursor } from './cursor.ts'
import { FileCorpus } from './file-corpus.ts'
import { Filters, kindsOf } from './filters.ts'
import { orderedHits, type Placed } from './hit-order.ts'
import { wordMatch } from './index-expression.ts'
import { MessageCorpus } from './message-corpus.ts'
import { ownIndexes } from './native-text-index.ts'
import { planQuestion, type Question } from './plan-query.ts'
import type { Expression } from './query.ts'
import { expressionPlan, type Found, type Plan, searchCorpus } from './search.ts'
import { snippetOf } from './snippet.ts'
import { SummaryCorpus } from './summary-corpus.ts'

/** A word in more rows than this, and in more than this share of them, is not looked for on its own. */
const COMMON_ROWS = 500
const COMMON_SHARE = 0.2

const Cursor = z.object({
  /** Hash of what was asked. */
  grep: z.string(),
  given: z.int().min(1),
  /** Newest row of each kind at the first page: later pages see what it saw. */
  newest: z.record(z.string(), z.number()),
  /** Nothing had all the words, so those with some of them are given. */
  isLoosened: z.boolean(),
})
type Cursor = z.infer<typeof Cursor>

/** Everything that a query found, before it is cut into pages. */
type Answer = {
  readonly found: readonly Found[]
  readonly sort: GrepInput['sort']
  /** The words of which each hit has some; null where the hits have what was asked. */
  readonly anyOf: readonly Expression[] | null
}
/** The corpora of a search, ready. */
type Run = {
  readonly newest: Readonly<Record<string, number>>
  /** `wanted`: how many of the best are asked for; null where relevance is no matter. */
  search(plan: Plan, wanted: number | null): Promise<Found[]>
  /** Whether so many rows hold it that it tells nothing apart; false where no index knows. */
  isCommon(expression: Expression): boolean
}

/** Searches messages, summaries and files. Holds what it knows of the rows between two searches. */
export class Grep {
  readonly #db: ReadDb
  readonly #histories: HistoryIndex
  readonly #messages: MessageCorpus
  readonly #summaries: SummaryCorpus
  readonly #indexes: TextIndexSource

  /** @param indexes default: those of the file itself, if it has any */
  constructor(db: ReadDb, capabilities: Capabilities, histories: HistoryIndex, indexes?: TextIndexSource) {
    const source = indexes ?? ownIndexes(db, capabilities)
    this.#db = db
    this.#histories = histories
    this.#indexes = source
    this.#messages = new MessageCorpus(db, () => source.current()?.messages ?? null)
    this.#summaries = new SummaryCorpus(db, () => source.current()?.summaries ?? null)
  }

  /**
   * A page of hits, and how many there are in all. Gives way to other work every 20 ms.
   * @throws LcmError cancelled, not_found; invalid_argument for a pattern or cursor that cannot be right; unsupported
   * for patterns with look-around or back-references
   */
  async search(input: GrepInput, signal?: AbortSignal): Promise<GrepResult> {
    const began = performance.now()
    const question = planQuestion(input)
    if (!question) {
      const notes = ['There is nothing to look for.']
      return { total: 0, totalIsExact: true, hits: [], nextCursor: null, notes, tookMs: performance.now() - began }
    }
    const cursor = input.cursor === undefined ? null : decodeCursor(input.cursor, Cursor)
    if (cursor && cursor.grep !== hashOf(input)) throw badCursor('it belongs to another search')

    const breather = new Breather(signal)
    const run = await this.#prepare(input, cursor, breather)
    const answer = await findAll(input, question, cursor, run)
    const total = count(answer.found)
    const start = cursor?.given ?? 0
    const page = orderedHits(answer.found, answer.sort, start, start + input.limit)
    const given = start + page.length
    return {
      total,
      totalIsExact: true,
      hits: hitsOf(page, question),
      nextCursor:
        given < total && page.length > 0
          ? encodeCursor({
              grep: hashOf(input),
              given,
              newest: run.newest,
              isLoosened: answer.anyOf !== null,
            } satisfies Cursor)
          : null,
      notes: this.#notes(question, answer),
      tookMs: performance.now() - began,
    }
  }

  async #prepare(input: GrepInput, cursor: Cursor | null, breather: Breather): Promise<Run> {
    const filters = new Filters(this.#db, this.#histories, input)
    const newest: Record<string, number> = {}
    const corpora: { corpus: Corpus; catalogue: Catalogue; mask: Uint8Array | null }[] = []
    for (const kind of kindsOf(input)) {
      const corpus = this.#corpus(kind)
      const catalogue = await corpus.catalogue(breather)
      const newestRow = cursor?.newest[kind] ?? catalogue.rows.at(-1) ?? 0
      newest[kind] = newestRow
      corpora.push({ corpus, catalogue, mask: filters.mask(kind, catalogue, newestRow) })
    }
    const search = async (plan: Plan, wanted: number | null): Promise<Found[]> => {
      const all: Found[] = []
      for (const { corpus, catalogue, mask } of corpora) {
        all.push(await searchCorpus(corpus, plan, mask, wanted, breather, catalogue))
      }
      return all
    }
    const isCommon = (expression: Expression): boolean => {
      const match = wordMatch(expression)
      const [first] = corpora
      if (match === null || !first?.corpus.index) return false
      return first.corpus.index.count(match) > Math.max(COMMON_ROWS, first.catalogue.length * COMMON_SHARE)
    }
    return { newest, search, isCommon }
  }

  #corpus(kind: Corpus['kind']): Corpus {
    switch (kind) {
      case 'message':
        return this.#messages
      case 'summary':
        return this.#summaries
      case 'file':
        return new FileCorpus(this.#db)
    }
  }

  #notes({ notes, loose }: Question, { found, anyOf }: Answer): string[] {
    const told = [...notes]
    const texts = found.filter(({ corpus }) => corpus.kind !== 'file')
    const indexes = this.#indexes.current()
    if (texts.some(({ isScan }) => isScan)) {
      told.push(
        indexes
          ? 'Answered by a scan of every text: what was looked for is too short, or says too little, for the index.'
          : `Answered by a scan of every text: ${this.#indexes.absence()}`,
      )
    } else if (texts.length > 0 && indexes?.note) told.push(indexes.note)
    if (anyOf && count(found) > 0) told.push('Nothing has all the words; what has some of them is ranked by relevance.')
    if (anyOf && loose?.kind === 'any' && anyOf.length < loose.of.length) {
      told.push('Words that stand nearly everywhere were not looked for on their own.')
    }
    return told
  }
}

/** Hits of the question as it was asked; when there are none and it may be loosened, of any of its words. */
async function findAll(input: GrepInput, question: Question, cursor: Cursor | null, run: Run): Promise<Answer> {
  const { strict, loose, isPlain } = question
  const wanted = (cursor?.given ?? 0) + input.limit
  const mayLoosen = input.match === 'auto' && isPlain && loose?.kind === 'any'
  if (!(mayLoosen && cursor?.isLoosened)) {
    const plan = input.match === 'any' && loose ? expressionPlan(loose) : strict
    const found = await run.search(plan, input.sort === 'relevance' ? wanted : null)
    if (!mayLoosen || cursor || count(found) > 0) return { found, sort: input.sort, anyOf: null }
  }
  const telling = loose.of.filter((part) => !run.isCommon(part))
  const anyOf = telling.length > 0 ? telling : loose.of
  const found = await run.search(expressionPlan({ kind: 'any', of: anyOf }), wanted)
  return { found, sort: 'relevance', anyOf }
}

function hitsOf(page: readonly Placed[], question: Question): GrepHit[] {
  const rows = new Map<Corpus, number[]>()
  const rowOf = ({ found, index }: Placed): number => found.catalogue.rows[index] as number
  for (const placed of page) {
    const list = rows.get(placed.found.corpus) ?? []
    list.push(rowOf(placed))
    rows.set(placed.found.corpus, list)
  }
  const data = new Map(
    Array.from(rows, ([corpus, some]) => [corpus, { texts: corpus.texts(some), hits: corpus.hits(some) }]),
  )
  return page.flatMap((placed): GrepHit[] => {
    const { corpus } = placed.found
    const hit = data.get(corpus)?.hits.get(rowOf(placed))
    const fields = data.get(corpus)?.texts.get(rowOf(placed))
    if (!hit || !fields) return []
    const { field, snippet, matches } = snippetOf(fields, question.strict.matcher)
    const isPartial = question.loose !== null && !question.strict.matcher.matches(fields)
    return [{ ...hit, field: corpus.fields[field] ?? 'content', snippet, matches, isPartial }]
  })
}

const count = (all: readonly Found[]): number => all.reduce((sum, found) => sum + found.indexes.length, 0)

/** The same for the same question, however long the pages. */
function hashOf({ cursor: _, limit: __, ...question }: GrepInput): string {
  const canonical = JSON.stringify(Object.entries(question).sort(([a], [b]) => (a < b ? -1 : 1)))
  return createHash('sha256').update(canonical).digest('hex').slice(0, 16)
}
