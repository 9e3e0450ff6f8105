import { setTimeout as pause } from 'node:timers/promises'
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  TaskCancelledError,
  TimeoutStrategy,
  timeout,
} from 'cockatiel'
import { CallFailure } from './call-failure.ts'
import { SummarizerFailure } from './summarizer.ts'

export type ResilienceOptions = {
  /** For one call. */
  readonly timeoutMs: number
  /** After the first call. */
  readonly retries?: number
  /** Doubles with every retry, less a random part. */
  readonly firstPauseMs?: number
  /** Also when a server asks for more: the next summariser is there meanwhile. */
  readonly longestPauseMs?: number
  /** Requests in a row, each with its retries, that open the circuit. */
  readonly failuresToOpen?: number
  /** After so long one request is let through to see. */
  readonly openMs?: number
}

const DEFAULTS = { retries: 2, firstPauseMs: 500, longestPauseMs: 20_000, failuresToOpen: 3, openMs: 30_000 } as const

/**
 * Calls one provider: a time limit for each call, retries with growing pauses (or what the server asks for), and a
 * circuit that opens after repeated failures, so that a provider that is down costs no more waiting. Everything ends at
 * once when the signal is aborted. One for each provider, kept over all its requests.
 */
export class Resilience {
  readonly #options: Required<ResilienceOptions>
  readonly #breaker: CircuitBreakerPolicy

  constructor(options: ResilienceOptions) {
    this.#options = { ...DEFAULTS, ...options }
    const { failuresToOpen, openMs } = this.#options
    // An answer that is no summary (empty, cut off) is still an answer: only what did not come through counts.
    const isDown = (error: unknown): boolean =>
      error instanceof CallFailure && (error.outcome === 'failed' || error.outcome === 'timeout') && !error.isOfRequest
    this.#breaker = circuitBreaker(handleWhen(isDown), {
      halfOpenAfter: openMs,
      breaker: new ConsecutiveBreaker(failuresToOpen),
    })
  }

  /**
   * @param call made anew for every attempt; fails with a `CallFailure`
   * @throws SummarizerFailure; whatever the signal was aborted with
   */
  async execute<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    try {
      return await orAbort(
        this.#breaker.execute(() => this.#withRetries(call, signal)),
        signal,
      )
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof BrokenCircuitError)) throw error
      const { failuresToOpen, openMs } = this.#options
      const reason = `Not asked: ${failuresToOpen} requests in a row had failed. It is tried again after ${Math.round(openMs / 1000)} s.`
      throw new SummarizerFailure('circuit_open', reason)
    }
  }

  #withRetries<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { retries, firstPauseMs, longestPauseMs, timeoutMs } = this.#options
    const limit = timeout(timeoutMs, TimeoutStrategy.Aggressive)
    const isWorthwhile = (error: unknown): boolean => error instanceof CallFailure && error.isRetryable
    let backoff = new ExponentialBackoff({ initialDelay: firstPauseMs, maxDelay: longestPauseMs }).next()
    let last: CallFailure | null = null
    // The library's own pause cannot be cut short, so it is none and the pause is made here.
    return retry(handleWhen(isWorthwhile), { maxAttempts: retries }).execute(async ({ attempt }) => {
      signal.throwIfAborted()
      if (attempt > 0) {
        const wantedMs = last?.retryAfterMs ?? backoff.duration
        await pause(Math.min(wantedMs, longestPauseMs), undefined, { signal })
        backoff = backoff.next(undefined)
      }
      try {
        return await limit.execute(({ signal: both }) => call(both), signal)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof TaskCancelledError) {
          last = new CallFailure('timeout', `No answer within ${timeoutMs.toLocaleString('en-US')} ms.`, {
            isRetryable: true,
            isBilled: true,
          })
          throw last
        }
        if (error instanceof CallFailure) last = error
        throw error
      }
    }, signal)
  }
}

/** The library waits for running work before it looks at the signal. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
