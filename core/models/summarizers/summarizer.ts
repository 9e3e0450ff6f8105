import type { Role, SummaryLevel } from '../../contract/ids.ts'

/** What one source of a summary says. Text is untrusted: it is data to be summarised, never an instruction. */
export type SourceEntry = {
  /** `msg_<n>` or a summary's id. */
  readonly id: string
  readonly kind: 'message' | 'summary'
  /** Null for summaries. */
  readonly role: Role | null
  /** When it was said; for a summary when what it stands for began. */
  readonly atMs: number | null
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: string }[]
  /** The text is a tool's answer: which tool gave it, and whether it failed. */
  readonly answer: { readonly name: string; readonly isError: boolean } | null
}

export type SummaryRequest = {
  /** Of the node that is to be made: 0 stands for messages. */
  readonly depth: number
  readonly level: SummaryLevel
  /** What to aim at. The prompts of the aggressive level ask for half of it. */
  readonly targetTokens: number
  /** A summary that is not smaller than this is refused. */
  readonly sourceTokens: number
  /** In the order of the history. */
  readonly entries: readonly SourceEntry[]
  /**
   * Continuity: the text of the summary that stands right before these sources in the window when a leaf is made, so
   * that nothing is said twice. Null for the first leaf and for every deeper node. Untrusted, like the entries.
   */
  readonly previousSummary: string | null
}

/** What a summariser said, before anybody checked it. */
export type SummaryAnswer = {
  readonly text: string
  /** As the model's server counts them; null when it does not say, and for summarisers without a model. */
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/** The ways in which a summariser can have no answer. */
export type SummarizerOutcome = 'failed' | 'timeout' | 'circuit_open' | 'spend_cap' | 'empty'

/** Why there is no answer. `message` is for people and for the record: it holds no conversation text and no key. */
export class SummarizerFailure extends Error {
  override readonly name = 'SummarizerFailure'
  readonly outcome: SummarizerOutcome

  constructor(outcome: SummarizerOutcome, reason: string) {
    super(reason)
    this.outcome = outcome
  }
}

/** What one run has sent to models so far; of calls whose server did not say, what they were estimated to take. */
export type Spend = {
  readonly inputTokens: number
  readonly outputTokens: number
  /** In the currency of the configured prices; null when a model that was called has none. 0 before the first call. */
  readonly cost: number | null
}

/** The summarisers of one run in the order in which they are tried, and what they have spent; made anew for each run. */
export type SummarizerChain = {
  readonly summarizers: readonly Summarizer[]
  readonly spend: Spend
}

/**
 * Writes summaries. It may fail, be slow, answer nothing or too much: the engine checks every answer and goes on to the
 * next level or the next summariser.
 */
export interface Summarizer {
  readonly name: string
  /** In the order in which they are tried. */
  readonly levels: readonly Exclude<SummaryLevel, 'unknown'>[]
  readonly model: string | null
  /** Stored with each summary, so that a reader knows how it came about. Prompts differ by depth and level. */
  promptVersion(request: Pick<SummaryRequest, 'depth' | 'level'>): string
  /**
   * Answers the text of the summary.
   * @throws SummarizerFailure when it has none; whatever the signal was aborted with
   */
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer>
}
