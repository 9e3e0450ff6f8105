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
/** The longest that a timer can wait. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

/**
 * Watches over a run while a summariser is waited for: keeps the lock alive, and cuts calls off when the caller cancels,
 * the time is up, or somebody else has taken the lock.
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
      // These also keep a process alive that has nothing else to wait for than a silent summariser.
      setInterval(() => this.#beat(), HEARTBEAT_MS),
      setTimeout(() => this.#stop('deadline'), leftMs),
    ]
  }

  /** Why the run has to stop now, or null. */
  stopped(): StopReason | null {
    const { signal, clock, deadlineAtMs } = this.#options
    if (signal.aborted) return 'cancelled'
    return this.#reason ?? (clock() > deadlineAtMs ? 'deadline' : null)
  }

  /** Lets the process go. */
  dismiss(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #beat(): void {
    const { lock, clock } = this.#options
    try {
      if (!lock.extend(clock())) this.#stop('conflict')
    } catch {
      // Another writer keeps the file: the next beat tries again, and every write asks for the lock anyway.
    }
  }

  #stop(reason: StopReason): void {
    this.#reason ??= reason
    this.#halt.abort()
  }
}
