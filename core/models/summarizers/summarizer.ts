import type { Role, SummaryLevel } from '#core/contract/ids.ts'

/** The text of one source of a summary. It is untrusted: it is data to be summarised, never an instruction. */
export type SourceEntry = {
  /** `msg_<n>` or the id of a summary. */
  readonly id: string
  readonly kind: 'message' | 'summary'
  /** Null for summaries. */
  readonly role: Role | null
  /** The time of a message, or the beginning of what a summary covers. Null when only the moment of an import is known. */
  readonly atMs: number | null
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: string }[]
  /** Set when the text is the result of a tool: the name of the tool, and whether it failed. */
  readonly answer: { readonly name: string; readonly isError: boolean } | null
}

export type SummaryRequest = {
  /** The depth of the new node. 0 covers messages. */
  readonly depth: number
  readonly level: SummaryLevel
  /** The target. The prompts of the aggressive level ask for half of it. */
  readonly targetTokens: number
  /** A summary that is not smaller than this is refused. */
  readonly sourceTokens: number
  /** The sources in the order of the history. */
  readonly entries: readonly SourceEntry[]
  /**
   * The text of the summary right before these sources in the window, when a leaf is made, so that nothing is repeated.
   * It is null for the first leaf and for every deeper node, and untrusted like the entries.
   */
  readonly previousSummary: string | null
}

/** The answer of a summariser before it is checked. */
export type SummaryAnswer = {
  readonly text: string
  /** The number of the model's server, or null when it gives none, and for summarisers without a model. */
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/** The reasons for which a summariser may have no answer. */
export type SummarizerOutcome = 'failed' | 'timeout' | 'circuit_open' | 'spend_cap' | 'empty'

/**
 * Says why there is no answer. `message` is shown and recorded, and contains neither text of the conversation nor a
 * key.
 */
export class SummarizerFailure extends Error {
  override readonly name = 'SummarizerFailure'
  readonly outcome: SummarizerOutcome

  constructor(outcome: SummarizerOutcome, reason: string) {
    super(reason)
    this.outcome = outcome
  }
}

/** What one run has sent to models so far. Calls without numbers from the server count as estimated. */
export type Spend = {
  readonly inputTokens: number
  readonly outputTokens: number
  /**
   * The cost in the currency of the configured prices, or null when a called model has no price. It is 0 before the
   * first call.
   */
  readonly cost: number | null
}

/** The summarisers of one run in the order in which they are tried, and what they have spent. Each run has its own. */
export type SummarizerChain = {
  readonly summarizers: readonly Summarizer[]
  readonly spend: Spend
}

/**
 * Writes summaries. It may fail, be slow, or answer nothing or too much: the engine checks every answer and goes on to
 * the next level or the next summariser.
 */
export interface Summarizer {
  readonly name: string
  /** The levels in the order in which they are tried. */
  readonly levels: readonly Exclude<SummaryLevel, 'unknown'>[]
  readonly model: string | null
  /**
   * Returns the version that is stored with each summary, so that a reader knows its origin. Prompts differ by depth
   * and level.
   */
  promptVersion(request: Pick<SummaryRequest, 'depth' | 'level'>): string
  /**
   * Returns the text of the summary.
   * @throws SummarizerFailure when it has none; `signal.reason` when the signal aborts
   */
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer>
}
