import { SummarizerFailure, type SummarizerOutcome } from './summarizer.ts'

type FailureDetails = {
  readonly isRetryable?: boolean
  readonly retryAfterMs?: number | null
  readonly isBilled?: boolean
  readonly isOfRequest?: boolean
}

/** A failed call in words of our own, because texts of servers and libraries may quote the prompt or the key. */
export class CallFailure extends SummarizerFailure {
  readonly isRetryable: boolean
  /** The time that the server asked to wait. */
  readonly retryAfterMs: number | null
  /** True when the model may have read the prompt, so that it is counted. */
  readonly isBilled: boolean
  /** True when only this request was refused, which says nothing about the next one. */
  readonly isOfRequest: boolean

  constructor(outcome: SummarizerOutcome, reason: string, more: FailureDetails = {}) {
    super(outcome, reason)
    this.isRetryable = more.isRetryable ?? false
    this.retryAfterMs = more.retryAfterMs ?? null
    this.isBilled = more.isBilled ?? false
    this.isOfRequest = more.isOfRequest ?? false
  }
}
