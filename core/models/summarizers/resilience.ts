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
  /** The time limit of one call. */
  readonly timeoutMs: number
  /** The number of calls after the first one. */
  readonly retries?: number
  /** The first pause. It doubles with every retry, less a random part. */
  readonly firstPauseMs?: number
  /** The longest pause, even when a server asks for more, because the next summariser is available meanwhile. */
  readonly longestPauseMs?: number
  /** The number of failed requests in a row, each with its retries, that opens the circuit. */
  readonly failuresToOpen?: number
  /** After this time one request is let through as a test. */
  readonly openMs?: number
}

const DEFAULTS = { retries: 2, firstPauseMs: 500, longestPauseMs: 20_000, failuresToOpen: 3, openMs: 30_000 } as const

/**
 * Calls one provider: with a time limit for each call, retries with growing pauses (or those that the server asks for),
 * and a circuit that opens after repeated failures, so that a provider that is down costs no more waiting. Everything
 * ends at once when the signal is aborted. There is one for each provider, for all its requests.
 */
export class Resilience {
  readonly #options: Required<ResilienceOptions>
  readonly #breaker: CircuitBreakerPolicy

  constructor(options: ResilienceOptions) {
    this.#options = { ...DEFAULTS, ...options }
    const { failuresToOpen, openMs } = this.#options
    // An answer that is no summary (empty, cut off) is still an answer. Only failed transport counts.
    const isDown = (error: unknown): boolean =>
      error instanceof CallFailure && (error.outcome === 'failed' || error.outcome === 'timeout') && !error.isOfRequest
    this.#breaker = circuitBreaker(handleWhen(isDown), {
      halfOpenAfter: openMs,
      breaker: new ConsecutiveBreaker(failuresToOpen),
    })
  }

  /**
   * @param call is made again for every attempt; fails with a `CallFailure`
   * @throws SummarizerFailure; `signal.reason` when the signal aborts
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
    // The pause of the library cannot be cut short, so it is set to none and made here.
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

/** The library waits for running work before it looks at the signal, so this rejects first. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
