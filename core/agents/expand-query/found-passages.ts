import type { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import type { ExpandCitation } from '#core/contract/expand-query.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { excerptIn, type SourceText, unitEnd, withoutBlanks } from '#core/provenance/passages.ts'
import { messageTexts, sourceCards, summaryTexts } from '#core/provenance/source-texts.ts'
import { SummaryCopies } from '#core/provenance/summary-copies.ts'
import { proseMatcher, subjectMatcher } from '#core/search/planning/question-words.ts'
import type { Match, Matcher } from '#core/search/query/matcher.ts'
import { matchesIn, rangesOf } from '#core/search/snippet.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import { TimeSlice } from '#core/yielding.ts'
import { permittedOf, type Reach } from '../grants/scope.ts'

/** How many hits are read at a time. */
const PAGE = 100
/** A longer text is cut to a passage of this length at most. */
const MOST_CHARS = 600

export type PassageSearch = {
  readonly db: ReadDb
  readonly retrieval: RetrievalEngine
  readonly question: string
  /** The ids that may be read. */
  readonly reach: Reach
  readonly signal?: AbortSignal
}

/**
 * Yields a passage of each hit of a question, in the order in which the search ranks the hits, a page of hits at a time.
 * Equal memories and questions give equal answers.
 */
export async function* foundPassages(search: PassageSearch): AsyncGenerator<ExpandCitation[], void> {
  const { db, retrieval, question, reach, signal } = search
  if (reach.size === 0) return
  const permitted = permittedOf(db, reach)
  const passages = new PassageReader(search, [...reach.keys()])
  for (let cursor: string | undefined; ; ) {
    const input = GrepInput.parse({ query: question, match: 'question', scope: 'both', limit: PAGE, cursor })
    const { hits, nextCursor } = await retrieval.search(input, signal, permitted)
    yield await passages.of(hits.map(({ id }) => id))
    if (nextCursor === null) return
    cursor = nextCursor
  }
}

type PassageSubject = Omit<PassageSearch, 'reach' | 'retrieval'> & {
  /** What a model answered. A passage for it supports question and answer. */
  readonly answer?: string
}

/** Cuts from messages and summaries what says most about a question. */
export class PassageReader {
  readonly #db: ReadDb
  readonly #matcher: Matcher
  /** Finds what is marked in a passage. */
  readonly #marker: Matcher
  readonly #copies: SummaryCopies
  readonly #slice: TimeSlice

  /** @param reached the ids that may be read. What repeats a summary among them counts as the summary's words alone. */
  constructor({ db, question, answer = '', signal }: PassageSubject, reached: readonly string[]) {
    this.#db = db
    this.#matcher = proseMatcher(`${question}\n${answer}`)
    this.#marker = subjectMatcher(question)
    this.#slice = new TimeSlice(signal, 'The search was cancelled.')
    this.#copies = new SummaryCopies(
      db,
      reached.filter((id) => messageNumber(id) === null),
    )
  }

  /** Returns the best passage of each, in this order. What has none of the words has no passage. */
  async of(ids: readonly string[]): Promise<ExpandCitation[]> {
    const numbers = ids.flatMap((id) => messageNumber(id) ?? [])
    const texts = summaryTexts(
      this.#db,
      ids.filter((id) => messageNumber(id) === null),
    )
    for await (const text of this.#copies.sift(messageTexts(this.#db, numbers), numbers, this.#slice)) texts.push(text)
    const byId = Map.groupBy(texts, ({ id }) => id)
    const cards = sourceCards(this.#db, ids)
    const found: ExpandCitation[] = []
    for (const id of ids) {
      await this.#slice.yieldIfOver()
      const card = cards.get(id)
      const passage = passageIn(byId.get(id) ?? [], this.#matcher)
      if (!card || !passage) continue
      const { kind, conversationId, seq, role, createdAtMs } = card
      const matches = rangesOf(passage.excerpt, this.#marker).ranges
      found.push({ id, kind, conversationId, seq, role, createdAtMs, ...passage, matches })
    }
    return found
  }
}

type Passage = Pick<ExpandCitation, 'field' | 'part' | 'start' | 'end' | 'excerpt'>

/** Returns the passage with most of the terms from the first text that has most of them, or null when none has any. */
function passageIn(texts: readonly SourceText[], matcher: Matcher): Passage | null {
  let best: { readonly source: SourceText; readonly matches: readonly Match[]; readonly terms: number } | undefined
  for (const source of texts) {
    const matches = matchesIn(source.text, matcher)
    const terms = new Set(matches.map(({ term }) => term)).size
    if (terms > (best?.terms ?? 0)) best = { source, matches, terms }
  }
  if (!best) return null
  const { field, part, text } = best.source
  const { start, end } = passageRange(text, best.matches)
  return { field, part, start, end, excerpt: excerptIn(best.source, start, end) }
}

/** Returns whole sentences and lines around the place with most of the terms, or the whole text when it is short. */
function passageRange(text: string, matches: readonly Match[]): { start: number; end: number } {
  if (text.length <= MOST_CHARS) return withoutBlanks(text, 0, text.length)
  const from = densest(matches)
  const line = Math.max(text.lastIndexOf('\n', from.start - 1) + 1, from.start - MOST_CHARS)
  let start = line
  for (let next = unitEnd(text, start); next <= from.start; next = unitEnd(text, start)) start = next
  if (from.end - start > MOST_CHARS) start = from.start
  let end = unitEnd(text, start)
  while (end < text.length) {
    const next = unitEnd(text, end)
    if (next - start > MOST_CHARS) break
    end = next
  }
  return withoutBlanks(text, start, end)
}

/** Returns the narrowest range with most of the terms. A term that stands in many places of the text counts less. */
function densest(matches: readonly Match[]): { readonly start: number; readonly end: number } {
  const counts = new Map<number, number>()
  for (const { term } of matches) counts.set(term, (counts.get(term) ?? 0) + 1)
  let best = { start: 0, end: 0, weight: 0 }
  for (const [place, { start }] of matches.entries()) {
    const terms = new Set<number>()
    let weight = 0
    let last = start
    for (const match of matches.slice(place)) {
      if (match.end > start + MOST_CHARS / 2) break
      if (terms.has(match.term)) continue
      terms.add(match.term)
      weight += 1 / (1 + Math.log(counts.get(match.term) ?? 1))
      last = match.end
    }
    const more = weight - best.weight
    // Equal weights may differ by how they were added up.
    const isBetter = Math.abs(more) < 1e-9 ? last - start < best.end - best.start : more > 0
    if (isBetter) best = { start, end: last, weight }
  }
  return best
}
