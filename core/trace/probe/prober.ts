import type { ProbedQuestion, ProbeInput, ProbeReport, ProbeState, ProbeSum } from '#core/contract/probe.ts'
import { messageRangeIn } from '#core/systems/reading/message-range.ts'
import { tokenCount } from '#core/window/window.ts'
import { TimeSlice } from '#core/yielding.ts'
import { textsOf, windowTexts } from '../node-texts.ts'
import { indexOf, type WindowIndex } from '../text-indexes.ts'
import { CANCELLED, givenQuestions, madeQuestions, type QuestionSet } from './asked-questions.ts'
import { type AnswerFate, judgeAnswers, readAnswers } from './judged-answers.ts'
import type { Question } from './made-questions.ts'
import {
  evidenceOf,
  firstHits,
  type ProbedWindow,
  type ProberOptions,
  pathOf,
  queryOf,
  type WindowPath,
  windowAt,
} from './probed-window.ts'

const NEVER = new AbortController().signal

type FoundAnswer = { readonly steps: number; readonly hit: string; readonly expand: readonly string[] }

/**
 * Asks a memory what its agent would be asked, and says for each question whether the answer stands in the window, or
 * how it can be recovered. It compares texts and uses no model; equal memories give equal reports.
 */
export class Prober {
  readonly #options: ProberOptions

  constructor(options: ProberOptions) {
    this.#options = options
  }

  /** @throws LcmError not_found; invalid_argument for ends that are no messages of the conversation; cancelled */
  async probe(input: ProbeInput, signal: AbortSignal = NEVER): Promise<ProbeReport> {
    const began = performance.now()
    const { questions, notes } = await this.ask(input, signal)
    const answers = this.answers(input, questions, signal)
    for (;;) {
      const step = await answers.next()
      if (!step.done) continue
      const { value: report } = step
      return { ...report, notes: [...notes, ...report.notes], tookMs: performance.now() - began }
    }
  }

  /**
   * Returns the questions to ask: those of the caller with what answers them, or questions made of the messages.
   * @throws LcmError as `probe`
   */
  async ask(input: ProbeInput, signal: AbortSignal = NEVER): Promise<QuestionSet> {
    const window = await windowAt(this.#options, input)
    const range = messageRangeIn(this.#options.db, window.memory, input)
    if (input.questions) return givenQuestions(this.#options, window, input.questions, input, signal)
    return madeQuestions(this.#options.db, window, input, range, signal)
  }

  /**
   * Looks for the answers in the window of a moment, and yields how many were looked for. A copy of the memory can be
   * asked the same questions.
   * @throws LcmError not_found, cancelled
   */
  async *answers(
    input: Pick<ProbeInput, 'conversationId' | 'at'>,
    asked: readonly Question[],
    signal: AbortSignal = NEVER,
  ): AsyncGenerator<number, ProbeReport> {
    const began = performance.now()
    const window = await windowAt(this.#options, input)
    const slice = new TimeSlice(signal, CANCELLED)
    const details = await readAnswers(asked, signal)
    const { index, notes } = await this.#indexOf(window, slice)
    const inWindow = await judgeAnswers(asked, details, index, slice)
    const questions: ProbedQuestion[] = []
    const tops = new Map<number, readonly AnswerFate[]>()
    for (const [index, question] of asked.entries()) {
      const way = pathOf(window, question.evidence)
      const top = way.leadsToWindow ? way.nodes.at(-1) : undefined
      if (top !== undefined && !tops.has(top)) {
        const { id } = window.memory.summaries.at(top)
        tops.set(top, await judgeAnswers(asked, details, await this.#options.indexes.ofNode(id, slice), slice))
      }
      const atTop = top === undefined ? undefined : tops.get(top)?.[index]
      questions.push(await this.#answer(window, question, way, { inWindow: inWindow[index], atTop }, signal))
      yield questions.length
    }
    const { atMs = null, reconstructed = false } = window.past ?? {}
    return {
      ...{ conversationId: input.conversationId, atMs, reconstructed, questions, ...sumsOf(questions) },
      notes: [
        ...(reconstructed ? ['The file does not record the window of that moment: it was inferred.'] : []),
        ...notes,
      ],
      tookMs: performance.now() - began,
    }
  }

  /** The window of now is kept for the next question; one of the past is read for this probe alone. */
  #indexOf({ memory, ids, past, inherited }: ProbedWindow, slice: TimeSlice): Promise<WindowIndex> {
    const { db, indexes } = this.#options
    if (past === null && inherited === 0) return indexes.ofWindow(memory, slice)
    return indexOf(windowTexts(db, memory.messages.conversationId, ids), slice)
  }

  async #answer(
    window: ProbedWindow,
    question: Question,
    way: WindowPath,
    { inWindow, atTop }: { readonly inWindow: AnswerFate | undefined; readonly atTop: AnswerFate | undefined },
    signal: AbortSignal,
  ): Promise<ProbedQuestion> {
    const { memory } = window
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
    const found = query === '' ? null : await this.#search(window, question, way, query, signal)
    if (found) return { ...base, state: 'by_search', query, ...found, expand: [...found.expand] }
    if (top === null) return { ...base, state: 'dropped', query }
    const expand = way.nodes.map((node) => memory.summaries.at(node).id).toReversed()
    return { ...base, state: 'by_expanding', query, expand, steps: expand.length }
  }

  /** Returns the shortest way from a hit on the first page to the answer. */
  async #search(
    window: ProbedWindow,
    { evidence, answer }: Question,
    { nodes }: WindowPath,
    query: string,
    signal: AbortSignal,
  ): Promise<FoundAnswer | null> {
    const hits = await firstHits(this.#options.search, window, query, signal)
    const sought = answer === null ? null : answer.toLowerCase()
    const holders = new Set(
      sought === null
        ? []
        : [...textsOf(this.#options.db, hits)]
            .flat()
            .flatMap(({ id, text }) => (text.toLowerCase().includes(sought) ? id : [])),
    )
    const wayIds = nodes.map((node) => window.memory.summaries.at(node).id)
    let best: FoundAnswer | null = null
    for (const hit of hits) {
      const level = wayIds.indexOf(hit)
      const isAnswer = hit === evidence || (holders.has(hit) && isSpecificAnswer(answer))
      if (!isAnswer && level < 0) continue
      const expand = isAnswer ? [] : wayIds.slice(0, level + 1).toReversed()
      if (best === null || 1 + expand.length < best.steps) best = { steps: 1 + expand.length, hit, expand }
    }
    return best
  }
}

/** A number of one digit stands in many texts by chance. */
const isSpecificAnswer = (answer: string | null): boolean =>
  answer !== null && answer.replace(/[^\p{L}\p{N}]/gu, '').length > 2

const FIELDS: Readonly<Record<ProbeState, Exclude<keyof ProbeSum, 'questions' | 'recall'>>> = {
  in_window: 'inWindow',
  by_search: 'bySearch',
  by_expanding: 'byExpanding',
  changed: 'changed',
  dropped: 'dropped',
}

/** Counts the states of some questions. */
function sumOf(questions: readonly ProbedQuestion[]): ProbeSum {
  const counts = { inWindow: 0, bySearch: 0, byExpanding: 0, changed: 0, dropped: 0 }
  for (const { state } of questions) counts[FIELDS[state]] += 1
  const known = counts.inWindow + counts.bySearch + counts.byExpanding
  return { questions: questions.length, ...counts, recall: questions.length === 0 ? 0 : known / questions.length }
}

/** Sums questions as a whole, by kind and by depth. */
export function sumsOf(
  questions: readonly ProbedQuestion[],
): Pick<ProbeReport, 'total' | 'byKind' | 'byDepth' | 'recall'> {
  const total = sumOf(questions)
  const byKind = [...Map.groupBy(questions, ({ kind }) => kind)].map(([kind, some]) => ({ kind, ...sumOf(some) }))
  const byDepth = [...Map.groupBy(questions, ({ depth }) => depth)]
    .map(([depth, some]) => ({ depth, ...sumOf(some) }))
    .sort((a, b) => (a.depth ?? Number.MAX_SAFE_INTEGER) - (b.depth ?? Number.MAX_SAFE_INTEGER))
  return { total, byKind, byDepth, recall: questions.length === 0 ? null : total.recall }
}
