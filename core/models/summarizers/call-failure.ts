import { SummarizerFailure, type SummarizerOutcome } from './summarizer.ts'

type FailureDetails = {
  readonly isRetryable?: boolean
  readonly retryAfterMs?: number | null
  readonly isBilled?: boolean
  readonly isOfRequest?: boolean
}

/** One call that came to nothing, in words of our own: what servers and libraries say may quote the prompt or the key. */
export class CallFailure extends SummarizerFailure {
  readonly isRetryable: boolean
  /** The server asked to wait so long. */
  readonly retryAfterMs: number | null
  /** The model may have read the prompt, so it has to be counted. */
  readonly isBilled: boolean
  /** This one request was not to the server's liking; it says nothing about the next. */
  readonly isOfRequest: boolean

  constructor(outcome: SummarizerOutcome, reason: string, more: FailureDetails = {}) {
    super(outcome, reason)
    this.isRetryable = more.isRetryable ?? false
    this.retryAfterMs = more.retryAfterMs ?? null
    this.isBilled = more.isBilled ?? false
    this.isOfRequest = more.isOfRequest ?? false
  }
}
