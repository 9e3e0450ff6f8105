import type { SummaryLevel } from '../contract/ids.ts'
import type { Attempt } from '../contract/time-travel.ts'
import {
  type Spend,
  type Summarizer,
  type SummarizerChain,
  SummarizerFailure,
  type SummaryAnswer,
  type SummaryRequest,
} from '../models/summarizers/summarizer.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'

/** An accepted summary: it is not empty and smaller than its sources. */
export type AcceptedSummary = {
  readonly text: string
  readonly tokens: number
  readonly level: Exclude<SummaryLevel, 'unknown'>
  readonly model: string | null
  readonly promptVersion: string
}

/** The result, and every call that was made for it in order. */
export type Escalated = { readonly summary: AcceptedSummary | null; readonly attempts: readonly Attempt[] }

export type EscalationOptions = {
  /** If the chain has `spend`, that is recorded. Otherwise the figures of the answers are added up. */
  readonly chain: Pick<SummarizerChain, 'summarizers'> & { readonly spend?: Spend }
  readonly estimator: TokenEstimator
  /**
   * The time limit of one call, whatever the summariser itself allows. A summariser that exceeds it is not asked again.
   */
  readonly callMs: number
}

/**
 * Asks each summariser at each of its levels, in order, until an answer is accepted. One that fails, does not answer or
 * writes too much costs quality, but never progress, because the deterministic one is last. There is one object for
 * each run, which remembers the summarisers that did not answer.
 */
export class Escalation {
  readonly #options: EscalationOptions
  readonly #silent = new Set<Summarizer>()
  #inputTokens = 0
  #outputTokens = 0

  constructor(options: EscalationOptions) {
    this.#options = options
  }

  /** False when every answer is immediate, so that asking for several at a time gains nothing. */
  get asksModels(): boolean {
    return this.#options.chain.summarizers.some((summarizer) => summarizer.model !== null)
  }

  get spend(): Spend {
    const own = { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens }
    const isFree = own.inputTokens + own.outputTokens === 0
    return this.#options.chain.spend ?? { ...own, cost: isFree ? 0 : null }
  }

  /**
   * Returns the first answer that has text, fewer tokens than its sources and at most `mostTokens`. `summary` is null
   * when there is none.
   * @throws the reason of the aborted signal
   */
  async summarize(request: Omit<SummaryRequest, 'level'>, mostTokens: number, signal: AbortSignal): Promise<Escalated> {
    const attempts: Attempt[] = []
    const most = Math.min(mostTokens, request.sourceTokens - 1)
    for (const summarizer of this.#options.chain.summarizers) {
      for (const level of summarizer.levels) {
        const { attempt, text } = await this.#attempt(summarizer, { ...request, level }, most, signal)
        attempts.push(attempt)
        if (attempt.outcome !== 'accepted') continue
        const { tokens, model } = attempt
        const summary = { text, tokens, level, model, promptVersion: attempt.promptVersion ?? '' }
        return { summary, attempts }
      }
    }
    return { summary: null, attempts }
  }

  async #attempt(
    summarizer: Summarizer,
    request: SummaryRequest,
    most: number,
    signal: AbortSignal,
  ): Promise<{ readonly attempt: Attempt; readonly text: string }> {
    const began = performance.now()
    const answer = await this.#answer(summarizer, request, signal)
    const isAnswer = 'text' in answer
    // Text is stored as UTF-8, and the hash must be of the text that will be read.
    const text = isAnswer ? answer.text.trim().toWellFormed() : ''
    const tokens = text === '' ? 0 : this.#options.estimator.count(text)
    const judged = isAnswer ? judge(text, tokens, most) : answer
    const attempt: Attempt = {
      summarizer: summarizer.name,
      level: request.level,
      model: summarizer.model,
      promptVersion: summarizer.promptVersion(request),
      tokens,
      durationMs: Math.round(performance.now() - began),
      ...judged,
    }
    return { attempt, text }
  }

  async #answer(
    summarizer: Summarizer,
    request: SummaryRequest,
    signal: AbortSignal,
  ): Promise<SummaryAnswer | Judgement> {
    const { callMs } = this.#options
    if (this.#silent.has(summarizer)) {
      return { outcome: 'circuit_open', reason: 'It did not answer an earlier call of this run.' }
    }
    const limit = AbortSignal.timeout(callMs)
    try {
      const answer = await callOf(summarizer, request, AbortSignal.any([signal, limit]))
      if (typeof answer?.text !== 'string') return { outcome: 'failed', reason: 'The answer is not a text.' }
      this.#inputTokens += answer.inputTokens ?? 0
      this.#outputTokens += answer.outputTokens ?? 0
      return answer
    } catch (error) {
      signal.throwIfAborted()
      if (limit.aborted) {
        this.#silent.add(summarizer)
        return { outcome: 'timeout', reason: `There was no answer within ${callMs / 1_000} s.` }
      }
      if (error instanceof SummarizerFailure) return { outcome: error.outcome, reason: error.message }
      // The message of any other error may quote the conversation.
      const kind = error instanceof Error ? error.name : typeof error
      return { outcome: 'failed', reason: `The summariser failed with ${kind}.` }
    }
  }
}

type Judgement = Pick<Attempt, 'outcome' | 'reason'>

function judge(text: string, tokens: number, most: number): Judgement {
  if (text === '') return { outcome: 'empty', reason: 'The answer has no text.' }
  if (tokens <= most) return { outcome: 'accepted', reason: null }
  return { outcome: 'not_smaller', reason: `The answer has ${tokens} tokens; at most ${most} are accepted.` }
}

/**
 * Returns the answer, or throws the signal's reason as soon as it is aborted, even if the summariser ignores the
 * signal.
 */
async function callOf(summarizer: Summarizer, request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer> {
  signal.throwIfAborted()
  let stopListening = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    stopListening = () => signal.removeEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([summarizer.summarize(request, signal), aborted])
  } finally {
    stopListening()
  }
}
