import type { RetrievalEngine } from '../../browse/retrieval-engine.ts'
import type { ExpandCitation } from '../../contract/expand-query.ts'
import { GrepInput } from '../../contract/retrieval.ts'
import { PassageIndex } from '../../provenance/passage-index.ts'
import { withoutBlanks } from '../../provenance/passages.ts'
import { Scorer } from '../../provenance/scoring.ts'
import { messageTexts, sourceCards, summaryTexts } from '../../provenance/source-texts.ts'
import { SummaryCopies } from '../../provenance/summary-copies.ts'
import { type Claim, Vocabulary } from '../../provenance/vocabulary.ts'
import type { Candidate } from '../../provenance/window-comparison.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { messageNumber } from '../../systems/node-id.ts'
import { TimeSlice } from '../../yielding.ts'

/** Up to this many messages are all read. When there are more, those that a search finds are read. */
const MOST_READ = 1_000
const FOUND_PER_ROOT = 60
const PASSAGES = 100
/** The words of a message count for more than the words of a summary about it. */
const SUMMARY_SHARE = 0.8
/** A passage with a lower score shares too little with the question to answer it. */
const LEAST_SCORE = 0.12
/** A passage is shown with the rest of its lines, up to this length. */
const MOST_CHARS = 600

export type ScoredPassage = { readonly citation: ExpandCitation; readonly score: number }

export type PassageSearch = {
  readonly db: ReadDb
  readonly retrieval: RetrievalEngine
  readonly question: string
  /** The summaries below which a search may look. */
  readonly roots: readonly string[]
  /** The ids that may be read, each with its level below the roots. */
  readonly reach: ReadonlyMap<string, number>
  readonly signal?: AbortSignal
}

/**
 * Returns the passages that share most with a question, the best first. Equal memories and questions give equal
 * answers.
 */
export async function bestPassages(search: PassageSearch): Promise<ScoredPassage[]> {
  const { db, question, reach, signal } = search
  const slice = new TimeSlice(signal, 'The search was cancelled.')
  const vocabulary = Vocabulary.of(question, [{ kind: 'sentence', start: 0, end: question.length }])
  const [asked] = vocabulary.claims
  if (!asked || asked.terms.length + asked.specifics.length === 0) return []
  const index = new PassageIndex(vocabulary)
  const summaries = [...reach.keys()].filter((id) => messageNumber(id) === null)
  for (const text of summaryTexts(db, summaries.slice(0, MOST_READ))) await index.add(text, slice)
  // The words of a summary count as the summary's alone, even where a message repeats them.
  const copies = new SummaryCopies(db, summaries)
  const numbers = await messagesToRead(search)
  for await (const text of copies.sift(messageTexts(db, numbers), numbers, slice)) await index.add(text, slice)
  const scorer = new Scorer(vocabulary, index)
  const scored = scorer
    .candidates(asked, PASSAGES, 'question')
    .map((candidate) => ({ candidate, score: scoreOf(candidate, asked, index) }))
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((a, b) => b.score - a.score || a.candidate.text - b.candidate.text || a.candidate.start - b.candidate.start)
  const ids = scored.map(({ candidate }) => index.texts[candidate.text]?.id ?? '')
  const cards = sourceCards(db, [...new Set(ids)])
  return scored.flatMap(({ candidate, score }): ScoredPassage[] => {
    const source = index.texts[candidate.text]
    const card = source && cards.get(source.id)
    if (!source || !card) return []
    const { id, kind, conversationId, seq, role, createdAtMs } = card
    const { field, part, text } = source
    const { start, end } = widened(text, candidate.start, candidate.end)
    const excerpt = text.slice(start, end).toWellFormed()
    return [{ score, citation: { id, kind, conversationId, seq, role, createdAtMs, field, part, start, end, excerpt } }]
  })
}

/** The answer often stands beside the name of what is asked about, so coverage counts for more than order here. */
function scoreOf({ coverage, score, text }: Candidate, asked: Claim, index: PassageIndex): number {
  const share = index.texts[text]?.kind === 'summary' ? SUMMARY_SHARE : 1
  return share * (asked.terms.length > 0 ? (score + coverage) / 2 : score)
}

async function messagesToRead({ retrieval, question, roots, reach, signal }: PassageSearch): Promise<number[]> {
  const numbers = [...reach.keys()].flatMap((id) => messageNumber(id) ?? [])
  if (numbers.length <= MOST_READ) return numbers
  const found = new Set<number>()
  for (const within of roots) {
    const input = GrepInput.parse({
      query: question,
      match: 'question',
      scope: 'messages',
      limit: FOUND_PER_ROOT,
      ...(messageNumber(within) === null ? { within } : {}),
    })
    const { hits } = await retrieval.search(input, signal)
    for (const { id } of hits) if (reach.has(id)) found.add(messageNumber(id) ?? -1)
  }
  return [...found].sort((a, b) => a - b)
}

/** Widens a range to the ends of its lines if they are near, without the white space around. */
function widened(text: string, from: number, to: number): { start: number; end: number } {
  const lineStart = text.lastIndexOf('\n', from - 1) + 1
  const nextBreak = text.indexOf('\n', to)
  const lineEnd = nextBreak < 0 ? text.length : nextBreak
  const isNear = lineEnd - lineStart <= MOST_CHARS
  const [start, end] = isNear && text.charCodeAt(to - 1) !== 10 ? [lineStart, lineEnd] : [from, to]
  return withoutBlanks(text, start, end)
}
