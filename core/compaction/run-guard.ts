import type { Clock } from '../clock.ts'
import type { StopReason } from '../contract/compaction.ts'
import { type ConversationLock, LEASE_MS } from './conversation-lock.ts'

export type RunGuardOptions = {
  readonly signal: AbortSignal
  readonly lock: ConversationLock
  readonly clock: Clock
  readonly deadlineAtMs: number
}

const HEARTBEAT_MS = LEASE_MS / 3
/** The longest time that a timer can wait. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

/**
 * Guards a run while it waits for a summariser: it extends the lock, and cuts calls off when the caller cancels, the
 * time is up, or another owner has taken the lock.
 */
export class RunGuard {
  /** Aborted as soon as the run has to stop. */
  readonly signal: AbortSignal
  readonly #options: RunGuardOptions
  readonly #halt = new AbortController()
  readonly #timers: readonly NodeJS.Timeout[]
  #reason: StopReason | null = null

  constructor(options: RunGuardOptions) {
    this.#options = options
    this.signal = AbortSignal.any([options.signal, this.#halt.signal])
    const leftMs = Math.min(LONGEST_WAIT_MS, Math.max(0, options.deadlineAtMs - options.clock()))
    this.#timers = [
      // These timers also keep the process alive when it waits only for a summariser that does not answer.
      setInterval(() => this.#beat(), HEARTBEAT_MS),
      setTimeout(() => this.#stop('deadline'), leftMs),
    ]
  }

  /** Returns why the run has to stop now, or null. */
  stopped(): StopReason | null {
    const { signal, clock, deadlineAtMs } = this.#options
    if (signal.aborted) return 'cancelled'
    return this.#reason ?? (clock() > deadlineAtMs ? 'deadline' : null)
  }

  /** Stops the timers, so that the process can end. */
  dismiss(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #beat(): void {
    const { lock, clock } = this.#options
    try {
      if (!lock.extend(clock())) this.#stop('conflict')
    } catch {
      // Another writer holds the file. The next heartbeat tries again, and every write verifies the lock anyway.
    }
  }

  #stop(reason: StopReason): void {
    this.#reason ??= reason
    this.#halt.abort()
  }
}
