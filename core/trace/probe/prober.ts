import { ROLES, type Role } from '../../contract/ids.ts'
import type { DetailFate } from '../../contract/loss.ts'
import type { ProbedQuestion, ProbeInput, ProbeReport } from '../../contract/probe.ts'
import { GrepInput, type GrepResult } from '../../contract/retrieval.ts'
import type { Memory } from '../../memory/memory.ts'
import { claimsOf } from '../../provenance/claims.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import type { MemoryReader } from '../../systems/memory-reader.ts'
import { messageNumber } from '../../systems/node-id.ts'
import { storedPlacements } from '../../window/placements.ts'
import type { PastWindow, TimeTravel } from '../../window/time-travel/time-travel.ts'
import { tokenCount } from '../../window/window.ts'
import { inSlices, TimeSlice } from '../../yielding.ts'
import { type Details, readingDetails, type ToldText } from '../details.ts'
import { FateFinder, stateOf } from '../fates.ts'
import { ladderOf } from '../ladder.ts'
import { textsOf, toldTextsOf, windowIds, windowTexts } from '../node-texts.ts'
import { chooseQuestions, type Question, questionsIn } from './made-questions.ts'
import { sumsOf } from './sums.ts'

export type ProberOptions = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  readonly timeTravel: TimeTravel
  search(input: GrepInput, signal?: AbortSignal): Promise<GrepResult>
}

/** Questions are made from so many messages, spread evenly over longer conversations. */
const MOST_READ = 5_000
/** The details of so many characters are read together. */
const BATCH_CHARS = 300_000
/** An agent looks at the first page of hits. */
const PAGE = 10
/** More words than these say the same again. */
const MOST_WORDS = 40
const NEVER = new AbortController().signal
const CANCELLED = 'The probe was cancelled.'

/** The window of the moment that is asked about. */
type Moment = {
  readonly memory: Memory
  readonly ids: readonly string[]
  readonly has: ReadonlySet<string>
  readonly past: PastWindow | null
}

/** The way from the message that answers a question to the window. */
type Way = {
  readonly isInWindow: boolean
  /** Summaries that stand for it, nearest first. The last one is in the window if `leadsToWindow`. */
  readonly nodes: readonly number[]
  readonly leadsToWindow: boolean
}

type Found = { readonly steps: number; readonly hit: string; readonly expand: readonly string[] }

/**
 * Asks a memory what its agent would be asked, and says for each question whether the answer stands in the window, or
 * how it can be had again. It compares texts and uses no model; equal memories give equal reports.
 */
export class Prober {
  readonly #options: ProberOptions

  constructor(options: ProberOptions) {
    this.#options = options
  }

  /** @throws LcmError not_found, cancelled */
  async probe(input: ProbeInput, signal: AbortSignal = NEVER): Promise<ProbeReport> {
    const began = performance.now()
    const { questions, notes } = await this.ask(input, signal)
    const report = await this.answer(input, questions, signal)
    return { ...report, notes: [...notes, ...report.notes], tookMs: performance.now() - began }
  }

  /**
   * Returns the questions to ask: those of the caller with what answers them, or questions made of the messages.
   * @throws LcmError not_found, cancelled
   */
  async ask(input: ProbeInput, signal: AbortSignal = NEVER): Promise<{ questions: Question[]; notes: string[] }> {
    const moment = await this.#moment(input)
    const notes: string[] = []
    if (input.questions) {
      const open = input.questions.filter(
        ({ answer, evidence }) => answer === undefined && evidence === undefined,
      ).length
      if (open > 0)
        notes.push(
          `${open.toLocaleString('en-US')} questions name neither an answer nor evidence: the best message that a search finds counts as the answer.`,
        )
      return { questions: await this.#given(moment, input.questions, signal), notes }
    }
    const questions = await this.#made(moment, input.limit, notes, signal)
    if (questions.length === 0) notes.push('It says nothing that a question could be made of.')
    return { questions, notes }
  }

  /**
   * Looks for the answers in the window of a moment. A copy of the memory can be asked the same questions.
   * @throws LcmError not_found, cancelled
   */
  async answer(
    input: Pick<ProbeInput, 'conversationId' | 'at'>,
    asked: readonly Question[],
    signal: AbortSignal = NEVER,
  ): Promise<ProbeReport> {
    const began = performance.now()
    const moment = await this.#moment(input)
    const questions = await this.#answers(moment, asked, signal)
    const { atMs = null, reconstructed = false } = moment.past ?? {}
    return {
      ...{ conversationId: input.conversationId, atMs, reconstructed, questions, ...sumsOf(questions) },
      notes: reconstructed ? ['The file does not record the window of that moment: it was inferred.'] : [],
      tookMs: performance.now() - began,
    }
  }

  async #moment({ conversationId, at }: Pick<ProbeInput, 'conversationId' | 'at'>): Promise<Moment> {
    const { reader, timeTravel } = this.#options
    await reader.prepareMemory(conversationId)
    const memory = reader.memory(conversationId)
    const past = at === undefined || 'now' in at ? null : timeTravel.entriesAt(conversationId, at)
    const ids = windowIds(memory, past?.placed ?? storedPlacements(memory))
    return { memory, ids, has: new Set(ids), past }
  }

  /** Makes questions of what people and agents said. */
  async #made(moment: Moment, limit: number, notes: string[], signal: AbortSignal): Promise<Question[]> {
    const slice = new TimeSlice(signal, CANCELLED)
    const { db } = this.#options
    const { memory } = moment
    const said = memory.messages.ids.length
    const positions = Array.from({ length: said }, (_, position) => position).filter(
      (position) => isKnown(moment, position) && memory.messages.roles[position] !== TOOL,
    )
    const read = evenly(positions, MOST_READ)
    if (read.length < positions.length)
      notes.push(
        `Questions were made of ${read.length.toLocaleString('en-US')} messages, spread evenly over ${positions.length.toLocaleString('en-US')}.`,
      )
    const found: Question[] = []
    let batch: ToldText[] = []
    let length = 0
    const flush = async (): Promise<void> => {
      const details = await inSlices(readingDetails(batch), signal)
      found.push(...questionsIn(details, (id) => roleOf(memory, id)))
      batch = []
      length = 0
    }
    for (const texts of toldTextsOf(
      db,
      memory,
      read.map((position) => memory.messageId(position)),
    )) {
      for (const text of texts) {
        if (!text.isSaid || text.field !== 'content') continue
        batch.push(text)
        length += text.text.length
        if (length >= BATCH_CHARS) await flush()
      }
      await slice.yieldIfOver()
    }
    await flush()
    return chooseQuestions(found, limit)
  }

  /** Finds what answers the questions of a caller: the messages that are named, or those that a search finds. */
  async #given(moment: Moment, given: NonNullable<ProbeInput['questions']>, signal: AbortSignal): Promise<Question[]> {
    const { db } = this.#options
    const found: Question[] = []
    for (const { question, answer = null, evidence } of given) {
      const ids = evidence ?? (await this.#hits(moment, question, signal)).filter((id) => messageNumber(id) !== null)
      const texts = [...textsOf(db, ids)].flat()
      const sought = answer?.toLowerCase()
      const holder = texts.find(({ text }) => sought === undefined || text.toLowerCase().includes(sought)) ?? null
      const named = evidence === undefined ? holder : (holder ?? texts[0] ?? null)
      found.push({
        ...{ question, kind: 'given', about: question, answer },
        evidence: named?.id ?? null,
        sentence: named === null ? (answer ?? question) : sentenceAbout(named.text, answer ?? question, answer),
      })
    }
    return found
  }

  async #answers(moment: Moment, asked: readonly Question[], signal: AbortSignal): Promise<ProbedQuestion[]> {
    const slice = new TimeSlice(signal, CANCELLED)
    const details = await inSlices(readingDetails(asked.map(toldText), 'words'), signal)
    const ways = asked.map(({ evidence }) => wayOf(moment, evidence))
    const inWindow = await this.#fatesInWindow(moment, details, asked, slice)
    const answers: ProbedQuestion[] = []
    const tops = new Map<number, readonly Judged[]>()
    for (const [index, question] of asked.entries()) {
      const way = ways[index] as Way
      const top = way.leadsToWindow ? way.nodes.at(-1) : undefined
      const judged =
        top === undefined ? undefined : (tops.get(top) ?? (await this.#fatesAt(moment, top, details, asked, slice)))
      if (top !== undefined && judged) tops.set(top, judged)
      answers.push(await this.#judge(moment, question, way, inWindow[index], judged?.[index], signal))
    }
    return answers
  }

  async #judge(
    moment: Moment,
    question: Question,
    way: Way,
    inWindow: Judged | undefined,
    atTop: Judged | undefined,
    signal: AbortSignal,
  ): Promise<ProbedQuestion> {
    const { memory } = moment
    const top = way.leadsToWindow ? (way.nodes.at(-1) ?? null) : null
    const base = {
      question: question.question,
      kind: question.kind,
      answer: question.answer,
      evidence: evidenceOf(memory, question),
      depth: way.isInWindow ? -1 : top === null ? null : tokenCount(memory.summaries.at(top).depth),
      ...{ instead: null, query: null, hit: null, expand: [], steps: null },
    }
    if (way.isInWindow || inWindow?.fate === 'kept') return { ...base, state: 'in_window', steps: 0 }
    if (atTop?.fate === 'changed') return { ...base, state: 'changed', instead: atTop.instead }
    const query = queryOf(question.about)
    const found = query === '' ? null : await this.#search(moment, question, way, query, signal)
    if (found) return { ...base, state: 'by_search', query, ...found, expand: [...found.expand] }
    if (top === null) return { ...base, state: 'dropped', query }
    const expand = way.nodes.map((node) => memory.summaries.at(node).id).toReversed()
    return { ...base, state: 'by_expanding', query, expand, steps: expand.length }
  }

  /** Returns the shortest way from a hit on the first page to the answer. */
  async #search(
    moment: Moment,
    { evidence, answer }: Question,
    { nodes }: Way,
    query: string,
    signal: AbortSignal,
  ): Promise<Found | null> {
    const hits = await this.#hits(moment, query, signal)
    const sought = answer === null ? null : answer.toLowerCase()
    const holders = new Set(
      sought === null
        ? []
        : [...textsOf(this.#options.db, hits)]
            .flat()
            .flatMap(({ id, text }) => (text.toLowerCase().includes(sought) ? id : [])),
    )
    const wayIds = nodes.map((node) => moment.memory.summaries.at(node).id)
    let best: Found | null = null
    for (const hit of hits) {
      const level = wayIds.indexOf(hit)
      const isAnswer = hit === evidence || (holders.has(hit) && isSpecificAnswer(answer))
      if (!isAnswer && level < 0) continue
      const expand = isAnswer ? [] : wayIds.slice(0, level + 1).toReversed()
      if (best === null || 1 + expand.length < best.steps) best = { steps: 1 + expand.length, hit, expand }
    }
    return best
  }

  /** Returns the ids of the first hits that were there at the moment. */
  async #hits({ memory, past }: Moment, query: string, signal: AbortSignal): Promise<string[]> {
    const input = GrepInput.parse({
      ...{ query: queryOf(query), match: 'question', sort: 'relevance', limit: past === null ? PAGE : PAGE * 5 },
      conversationIds: [memory.messages.conversationId],
    })
    const { hits } = await this.#options.search(input, signal)
    const until = past?.until
    return hits
      .filter(({ seq, createdAtMs, kind }) => {
        if (until === undefined) return true
        if (kind === 'message') return seq !== null && (until.newestSeq === null || seq <= until.newestSeq)
        return createdAtMs !== null && past?.atMs != null && createdAtMs <= past.atMs
      })
      .slice(0, PAGE)
      .map(({ id }) => id)
  }

  async #fatesInWindow({ memory, ids }: Moment, details: Details, asked: readonly Question[], slice: TimeSlice) {
    const finder = new FateFinder(details)
    for (const texts of windowTexts(this.#options.db, memory.messages.conversationId, ids))
      for (const text of texts) await finder.add(text, slice)
    return judge(finder, details, asked, slice)
  }

  async #fatesAt({ memory }: Moment, node: number, details: Details, asked: readonly Question[], slice: TimeSlice) {
    const finder = new FateFinder(details)
    for (const texts of textsOf(this.#options.db, [memory.summaries.at(node).id]))
      for (const text of texts) await finder.add(text, slice)
    return judge(finder, details, asked, slice)
  }
}

/** What became of an answer in some texts. */
type Judged = { readonly fate: ReturnType<typeof stateOf>; readonly instead: string | null }

/** Returns what became of the answer of each question. */
async function judge(
  finder: FateFinder,
  { sentences }: Details,
  asked: readonly Question[],
  slice: TimeSlice,
): Promise<Judged[]> {
  const fates = asked.map((): { fate: DetailFate; instead: string | null }[] => [])
  for (const sentence of sentences) {
    const { answer } = asked[sentence.told] as Question
    const found = finder.fateOf(sentence).fates
    const isSought = sentence.details.map(({ specific, text }) =>
      answer === null ? specific === null : text === answer,
    )
    const isAny = !isSought.includes(true)
    found.forEach(({ fate, instead }, detail) => {
      if (isAny || isSought[detail]) fates[sentence.told]?.push({ fate, instead })
    })
    await slice.yieldIfOver()
  }
  return fates.map((some) => ({
    fate: stateOf(some.map(({ fate }) => fate)),
    instead: some.find(({ instead }) => instead !== null)?.instead ?? null,
  }))
}

const TOOL = ROLES.indexOf('tool')

const roleOf = ({ messages }: Memory, id: string): Role | null =>
  ROLES[messages.roles[messages.positionOf(messageNumber(id) ?? Number.NaN)] ?? -1] ?? null

/** Whether a message was stored before the moment. */
const isKnown = ({ memory, past }: Moment, position: number): boolean => {
  const newest = past?.until?.newestSeq ?? null
  return newest === null || (memory.messages.seqs[position] ?? Number.POSITIVE_INFINITY) <= newest
}

const evenly = <T>(all: readonly T[], most: number): readonly T[] =>
  all.length <= most
    ? all
    : Array.from({ length: most }, (_, at) => all[Math.floor(((at + 0.5) * all.length) / most)] as T)

const toldText = ({ sentence }: Question, index: number): ToldText => ({
  ...{ id: String(index), kind: 'message', field: 'content', part: null, text: sentence, isSaid: true },
})

function wayOf({ memory, has }: Moment, evidence: string | null): Way {
  const position = evidence === null ? -1 : memory.messages.positionOf(messageNumber(evidence) ?? Number.NaN)
  if (evidence === null || position < 0) return { isInWindow: false, nodes: [], leadsToWindow: false }
  const isThere = (node: number): boolean => has.has(memory.summaries.at(node).id)
  const { way } = ladderOf(memory, { position }, isThere)
  const top = way.at(-1)
  return { isInWindow: has.has(evidence), nodes: way, leadsToWindow: top !== undefined && isThere(top) }
}

function evidenceOf({ messages }: Memory, { evidence, sentence }: Question): ProbedQuestion['evidence'] {
  if (evidence === null) return null
  const position = messages.positionOf(messageNumber(evidence) ?? Number.NaN)
  const atMs = messages.createdAtMs[position] ?? Number.NaN
  return {
    id: evidence,
    role: ROLES[messages.roles[position] ?? -1] ?? null,
    seq: messages.seqs[position] ?? null,
    atMs: Number.isNaN(atMs) ? null : atMs,
    text: sentence.toWellFormed(),
  }
}

/** A number of one digit stands in many texts by chance. */
const isSpecificAnswer = (answer: string | null): boolean =>
  answer !== null && answer.replace(/[^\p{L}\p{N}]/gu, '').length > 2

/** Returns the words of a text as a question, without signs that a search would read as its language. */
function queryOf(text: string): string {
  const words = text.match(/[\p{L}\p{N}_]{2,}/gu) ?? []
  return [...new Set(words.map((word) => word.toLowerCase()))].slice(0, MOST_WORDS).join(' ')
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [])

/** Returns the sentence of a text that holds an answer, or else the one that shares most words with a question. */
function sentenceAbout(text: string, question: string, answer: string | null): string {
  const sentences = claimsOf(text).map(({ start, end }) => text.slice(start, end))
  const sought = answer?.toLowerCase()
  const holder = sought === undefined ? undefined : sentences.find((one) => one.toLowerCase().includes(sought))
  if (holder !== undefined) return holder
  const words = wordsOf(question)
  const shared = sentences.map((one) => [...wordsOf(one)].filter((word) => words.has(word)).length)
  return sentences[shared.indexOf(Math.max(0, ...shared))] ?? text.slice(0, 600)
}
