import type { TokenEstimator } from '../context/token-estimator.ts'
import type { SummaryLevel } from '../contract/ids.ts'
import type { Summarizer, SummaryRequest } from './summarizers/summarizer.ts'

/** A summary that was accepted: not empty, and smaller than what it stands for. */
export type AcceptedSummary = {
  readonly text: string
  readonly tokens: number
  readonly level: Exclude<SummaryLevel, 'unknown'>
  readonly model: string | null
  readonly promptVersion: string
}

/**
 * Asks each summariser at each of its levels, in order, until an answer is accepted. A failing or verbose one costs
 * quality, never progress: the deterministic one stands last. Null when nothing is smaller than the sources.
 * @throws whatever the signal was aborted with
 */
export async function summarizeSafely(
  chain: readonly Summarizer[],
  request: Omit<SummaryRequest, 'level'>,
  estimator: TokenEstimator,
  signal: AbortSignal,
): Promise<AcceptedSummary | null> {
  for (const summarizer of chain) {
    for (const level of summarizer.levels) {
      const text = await answerOf(summarizer, { ...request, level }, signal)
      const tokens = estimator.count(text)
      if (text === '' || tokens >= request.sourceTokens) continue
      return {
        text,
        tokens,
        level,
        model: summarizer.model,
        promptVersion: summarizer.promptVersion({ depth: request.depth, level }),
      }
    }
  }
  return null
}

async function answerOf(summarizer: Summarizer, request: SummaryRequest, signal: AbortSignal): Promise<string> {
  try {
    const { text } = await summarizer.summarize(request, signal)
    // Text is stored as UTF-8, and a hash must speak of what will be read.
    return text.trim().toWellFormed()
  } catch {
    signal.throwIfAborted()
    // One that fails has no answer; the next level or summariser is asked.
    return ''
  }
}
