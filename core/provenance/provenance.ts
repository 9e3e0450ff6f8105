import type { Role } from '../contract/ids.ts'
import type { Passage, Provenance, ProvenanceClaim, ProvenanceInput, SourcePlace } from '../contract/provenance.ts'
import { GrepInput, type GrepRequest, type GrepResult } from '../contract/retrieval.ts'
import { LcmError } from '../errors.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { findNode, messageNumber } from '../systems/reading/node-id.ts'
import { contentsOfSummaries } from '../systems/reading/texts.ts'
import { knownRole, messageHeads } from '../systems/records/messages.ts'
import { summaryHeads } from '../systems/records/summaries.ts'
import { goingOn, TimeSlice } from '../yielding.ts'
import { claimsOf, claimsWithin } from './claims.ts'
import { Comparison } from './comparison.ts'
import { whyClaim, whyPassage } from './explain.ts'
import { IndexView } from './index-view.ts'
import { excerptIn, withoutBlanks } from './passages.ts'
import { SourceMetadata } from './source-metadata.ts'
import {
  messageTexts,
  type ReachedSources,
  reachedSources,
  type SourceCard,
  sourceCards,
  summaryTexts,
} from './source-texts.ts'
import { SummaryCopies } from './summary-copies.ts'
import { TextIndex } from './text-index.ts'
import { THRESHOLDS } from './thresholds.ts'
import { type JudgedSpecific, judge, type Verdict } from './verdict.ts'
import { type Claim, Vocabulary } from './vocabulary.ts'
import type { Candidate } from './window-comparison.ts'

/**
 * Up to this many characters, every message that a summary stands for is read. When there are more, those that a search
 * finds for the claims are read.
 */
const MOST_CHARS = 40_000_000
const MOST_MESSAGES = 50_000
/** How many texts of messages are read at once. */
const BATCH = 200
/** How many messages are looked up for each claim when the subtree is too large to be read completely. */
const FOUND_PER_CLAIM = 60
const MOST_RANKED = 20_000
/** How many claims one answer covers. A text with more claims is hardly a summary. */
const MOST_CLAIMS = 400

export type ProvenanceOptions = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  grep(input: GrepInput, signal?: AbortSignal): Promise<GrepResult>
  /** Returns how many messages of the file have a word, or null when that is not known. */
  messagesWith(word: string): Promise<number | null>
  /** Up to this many messages of a subtree are all read. When there are more, those that `grep` finds are read. */
  readonly mostMessages?: number
  /** A claim is searched for by its rarest words, which together may stand in up to this many messages. */
  readonly mostRanked?: number
}

type ProvenanceReading = {
  readonly index: TextIndex
  readonly vocabulary: Vocabulary
  readonly sources: ReachedSources
  readonly copies: SummaryCopies
  readonly slice: TimeSlice
  readonly summaryId: string
  readonly signal: AbortSignal | undefined
}

type JudgedClaim = { readonly claim: Claim; readonly candidates: readonly Candidate[]; readonly verdict: Verdict }

/**
 * Finds the passages on which the sentences of a summary rest, by shared words, names and numbers. It uses no model and
 * no network, and equal memories give equal answers. It finds textual support and does not judge truth.
 */
export class ProvenanceFinder {
  readonly #options: ProvenanceOptions

  constructor(options: ProvenanceOptions) {
    this.#options = options
  }

  /**
   * Returns the claims in a part of a summary with their support. It yields to other work every 20 ms.
   * @throws LcmError not_found; invalid_argument when the id is no summary or the part lies outside; cancelled
   */
  async find(input: ProvenanceInput, signal?: AbortSignal): Promise<Provenance> {
    const began = performance.now()
    const { db, reader } = this.#options
    const slice = new TimeSlice(signal, 'The search was cancelled.')
    const node = findNode(db, input.summaryId)
    const [head] = summaryHeads(db, [input.summaryId])
    if (node.kind !== 'summary' || !head) {
      const message = `${input.summaryId} is a ${node.kind}: only a summary rests on sources. Choose the summary that covers it.`
      throw new LcmError('invalid_argument', message, { id: input.summaryId })
    }
    const content = new Map(contentsOfSummaries(db, [head.id])).get(head.id) ?? ''
    const chosen = chosenClaims(content, input)
    const vocabulary = Vocabulary.of(content, chosen.slice(0, MOST_CLAIMS))
    const memory = reader.memory(node.conversationId)
    const sources = reachedSources(memory, memory.summaries.nodeOf(input.summaryId))
    const texts = new TextIndex(vocabulary)
    const copies = new SummaryCopies(db, [input.summaryId, ...sources.reached.filter((id) => id !== input.summaryId)])
    const read = { index: texts, vocabulary, sources, copies, slice, summaryId: input.summaryId, signal }
    const { messagesRead, isComplete } = await this.#read(read)
    await goingOn(texts.preparing(), slice)
    const index = new IndexView(vocabulary, texts)
    const metadata = new SourceMetadata(db, memory.messages, sources.messages)
    const comparison = new Comparison(index)
    const roleOf = (id: string): Role | null => {
      const number = messageNumber(id)
      return number === null ? null : knownRole(messageHeads(db, [number])[0]?.role ?? null)
    }
    const found: JudgedClaim[] = []
    // A sentence without anything to look for claims nothing.
    for (const claim of vocabulary.claims.filter(({ terms, specifics }) => terms.length + specifics.length > 0)) {
      const candidates = comparison.scorer.candidates(claim, Math.max(3, input.limit))
      const evidence = { claim, candidates, comparison, isInMetadata: metadata.has, roleOf }
      const isCondensed = sources.summaries.length > 0
      const verdict = judge({ ...evidence, isCondensed, hasMessages: sources.messages.length > 0 })
      found.push({ claim, candidates: shown(candidates, index, input.limit), verdict })
      await slice.yieldIfOver()
    }
    const claims = this.#answer(found, index)
    const count = (support: string): number => claims.filter((claim) => claim.support === support).length
    return {
      summaryId: input.summaryId,
      kind: head.kind,
      conversationId: node.conversationId,
      contentChars: content.length,
      claims,
      counts: {
        supported: count('supported'),
        weak: count('weak'),
        none: count('none'),
        invented: claims.reduce((sum, claim) => sum + claim.invented.length, 0),
      },
      thresholds: { ...THRESHOLDS },
      searched: {
        messages: sources.messages.length,
        messagesRead,
        summaries: sources.summaries.length,
        chars: texts.chars,
        isComplete,
      },
      notes: [...notesOf(sources, isComplete, messagesRead, chosen.length), ...copies.notes()],
      tookMs: performance.now() - began,
    }
  }

  async #read({
    index,
    vocabulary,
    sources,
    copies,
    slice,
    summaryId,
    signal,
  }: ProvenanceReading): Promise<{ messagesRead: number; isComplete: boolean }> {
    const { db } = this.#options
    for (const text of summaryTexts(db, sources.summaries)) await index.add(text, slice)
    const isSmall = sources.messages.length <= (this.#options.mostMessages ?? MOST_MESSAGES)
    const numbers = isSmall ? sources.messages : await this.#likely(vocabulary, summaryId, slice, signal)
    let messagesRead = 0
    for (let start = 0; start < numbers.length && index.chars < MOST_CHARS; start += BATCH) {
      const batch = numbers.slice(start, start + BATCH)
      for await (const text of copies.sift(messageTexts(db, batch), batch, slice)) await index.add(text, slice)
      messagesRead += batch.length
      await slice.yieldIfOver()
    }
    return { messagesRead, isComplete: messagesRead >= sources.messages.length }
  }

  /**
   * Returns the messages of a subtree that is too large to be read completely: those that share most with each claim,
   * and those that contain its specifics.
   */
  async #likely(
    vocabulary: Vocabulary,
    within: string,
    slice: TimeSlice,
    signal: AbortSignal | undefined,
  ): Promise<number[]> {
    const numbers = new Set<number>()
    const look = async (query: string, more: Partial<GrepRequest>): Promise<number> => {
      const input = GrepInput.parse({
        query: query.slice(0, 2_000),
        scope: 'messages',
        limit: FOUND_PER_CLAIM,
        within,
        ...more,
      })
      const { hits } = await this.#options.grep(input, signal)
      for (const { id } of hits) numbers.add(messageNumber(id) ?? -1)
      return hits.length
    }
    const counts = new Map<string, number | null>()
    for (const claim of vocabulary.claims) {
      const all = claim.terms.map(({ start, end }) => claim.text.slice(start - claim.start, end - claim.start))
      for (const word of all) {
        if (!counts.has(word)) counts.set(word, await this.#options.messagesWith(word))
        await slice.yieldIfOver()
      }
      const words = [...new Set(all)].filter((word) => counts.get(word) !== 0)
      const rare = new Set(rarest(words, counts, this.#options.mostRanked ?? MOST_RANKED))
      const common = words.filter((word) => !rare.has(word))
      const found = rare.size > 0 ? await look(quoted([...rare]).join(' OR '), { match: 'any', sort: 'relevance' }) : 0
      // Ranking every message that has a common word takes long. So a message has to have all of them.
      if (found === 0 && common.length > 0) await look(quoted(common).join(' '), { match: 'all', sort: 'oldest' })
    }
    const specifics = new Set(vocabulary.specifics.map(({ text }) => text))
    for (const text of specifics) await look(text, { mode: 'literal', caseSensitive: true, sort: 'oldest', limit: 20 })
    return [...numbers].sort((a, b) => a - b)
  }

  #answer(found: readonly JudgedClaim[], index: IndexView): ProvenanceClaim[] {
    const ids = new Set(found.flatMap(({ candidates }) => candidates.map(({ text }) => index.texts[text]?.id ?? '')))
    const cards = sourceCards(this.#options.db, [...ids])
    return found.map(({ claim, candidates, verdict }): ProvenanceClaim => {
      const passages = candidates.flatMap((candidate) => passageOf(claim, candidate, index, cards))
      const specifics = verdict.specifics.map((specific) => specificOf(specific, index))
      return {
        kind: claim.kind,
        text: claim.text,
        start: claim.start,
        end: claim.end,
        support: verdict.support,
        score: verdict.score,
        sourceScore: verdict.sourceScore,
        why: whyClaim(claim, verdict, passages[0]?.id ?? null),
        specifics,
        invented: specifics.filter(({ standing }) => standing === 'nowhere' || standing === 'source_only'),
        passages,
      }
    })
  }
}

const quoted = (words: readonly string[]): string[] => words.map((word) => `"${word.replaceAll('"', ' ')}"`)

/** Returns the rarest words, until the messages that have one of them would be more than `most`. */
function rarest(words: readonly string[], counts: ReadonlyMap<string, number | null>, most: number): string[] {
  const countOf = (word: string): number => counts.get(word) ?? 0
  let ranked = 0
  return words
    .toSorted((a, b) => countOf(a) - countOf(b))
    .filter((word) => {
      ranked += countOf(word)
      return ranked <= most
    })
}

function chosenClaims(text: string, { from, to }: ProvenanceInput) {
  const claims = claimsOf(text)
  if (from === undefined && to === undefined) return claims
  const [start, end] = [from ?? 0, to ?? text.length]
  if (start >= end || start >= text.length) {
    const message = `There is nothing from ${start} to ${end} in this summary: it has ${text.length} characters.`
    throw new LcmError('invalid_argument', message)
  }
  return claimsWithin(claims, start, end)
}

/** Returns at most `limit` candidates of each kind of source. */
function shown(candidates: readonly Candidate[], index: IndexView, limit: number): Candidate[] {
  const kindOf = ({ text }: Candidate): string => index.texts[text]?.kind ?? ''
  const groups = Map.groupBy(candidates, kindOf)
  return candidates.filter((candidate) => (groups.get(kindOf(candidate))?.indexOf(candidate) ?? 0) < limit)
}

function passageOf(
  claim: Claim,
  candidate: Candidate,
  index: IndexView,
  cards: ReadonlyMap<string, SourceCard>,
): Passage[] {
  const source = index.texts[candidate.text]
  const card = source && cards.get(source.id)
  if (!source || !card) return []
  const { start, end } = withoutBlanks(source.text, candidate.start, candidate.end)
  const words = candidate.matches.map(({ claimStart, claimEnd, ...place }) => ({
    text: claim.text.slice(claimStart - claim.start, claimEnd - claim.start),
    kind: 'word' as const,
    claimStart,
    claimEnd,
    start: place.start,
    end: place.end,
  }))
  return [
    {
      ...card,
      kind: source.kind,
      field: source.field,
      part: source.part,
      start,
      end,
      excerpt: excerptIn(source, start, end),
      score: candidate.score,
      matches: [...words, ...specificMatches(candidate, claim, index)],
      why: whyPassage(claim, candidate),
    },
  ]
}

function specificMatches(candidate: Candidate, claim: Claim, index: IndexView): Passage['matches'] {
  return [...candidate.specifics].map(([specific, [start, end]]) => {
    const sought = index.vocabulary.specifics[specific]
    const [claimStart, claimEnd] = [sought?.start ?? claim.start, sought?.end ?? claim.start]
    return { text: sought?.text ?? '', kind: 'specific' as const, claimStart, claimEnd, start, end }
  })
}

function specificOf({ place, key: _key, same: _same, anchor: _anchor, ...specific }: JudgedSpecific, index: IndexView) {
  const source = place && index.texts[place.text]
  const at: SourcePlace | null =
    source && place
      ? { id: source.id, field: source.field, part: source.part, start: place.start, end: place.end }
      : null
  return { ...specific, at }
}

function notesOf(
  { messages, missing }: ReachedSources,
  isComplete: boolean,
  messagesRead: number,
  claims: number,
): string[] {
  const notes: string[] = []
  const number = (value: number): string => value.toLocaleString('en-US')
  if (claims > MOST_CLAIMS) {
    notes.push(
      `Only the first ${MOST_CLAIMS} of its ${number(claims)} sentences were looked at: select a stretch to ask about others.`,
    )
  }
  if (messages.length === 0)
    notes.push('No message is below this summary any more: only its source summaries were compared.')
  if (missing > 0) notes.push(`${number(missing)} of its sources are not in the file; what they said cannot be found.`)
  if (!isComplete) {
    notes.push(
      `It stands for ${number(messages.length)} messages; the ${number(messagesRead)} that share most with it were compared.`,
    )
  }
  return notes
}
