import type { Clock } from '../clock.ts'
import type { Job } from '../contract/job.ts'
import type { SearchIndexStatus } from '../contract/search-index.ts'
import { LcmError } from '../errors.ts'
import type { Lcm } from '../lcm.ts'
import { hasPendingIndex, LONG_MESSAGE_PENDING } from '../sqlite/pending-index.ts'
import { isNative } from '../systems/native/native.ts'
import type { Jobs } from './jobs.ts'

/** The shortest time between two updates of an index whose file keeps changing. */
const SHORTEST_REST_MS = 1000
/** Updates take at most one fifth of the time, in a thread in which nobody waits. */
const REST_PER_WORK = 4
/** The time after a failure, which mostly concerns the folder. */
const FAILED_REST_MS = 60_000

/**
 * Keeps the search index of a foreign file up to date while somebody looks at the file, and completes that of a native
 * one whose import was interrupted in the middle of a long message.
 */
export class IndexKeeper {
  readonly #jobs: Jobs
  readonly #clock: Clock
  #jobId: string | null = null
  #restsUntilMs = 0

  constructor(jobs: Jobs, clock: Clock) {
    this.#jobs = jobs
    this.#clock = clock
  }

  /** Starts an update when one is needed. It is called repeatedly while somebody looks. */
  look({ info, sideIndex, read }: Lcm): void {
    if (this.#jobId !== null || this.#clock() < this.#restsUntilMs) return
    try {
      const isDue = sideIndex ? sideIndex.isWorthwhile && !sideIndex.current() : this.#isLeftUndone({ info, read })
      if (!isDue) return
      this.#jobId = this.#jobs.start({ path: info.path, create: false, spec: { kind: 'index' } })
    } catch (error) {
      // A file that cannot be read has no index. The error is reported to those who ask something of the file.
      if (!(error instanceof LcmError)) throw error
      this.#restsUntilMs = this.#clock() + (error.retryable ? SHORTEST_REST_MS : FAILED_REST_MS)
    }
  }

  /** Takes every event of a job. */
  onJob({ jobId, state, startedAtMs, finishedAtMs, result }: Job): void {
    if (jobId !== this.#jobId || finishedAtMs === null) return
    this.#jobId = null
    const rest = Math.max(SHORTEST_REST_MS, (finishedAtMs - startedAtMs) * REST_PER_WORK)
    const isTooLarge = result?.kind === 'index' && result.value.outcome === 'too_large'
    // A cancelled update is not wanted now.
    if (state === 'cancelled' || isTooLarge) this.#restsUntilMs = Number.POSITIVE_INFINITY
    else this.#restsUntilMs = finishedAtMs + (state === 'failed' ? Math.max(rest, FAILED_REST_MS) : rest)
  }

  /** A running import completes the index itself. */
  #isLeftUndone({ info, read }: Pick<Lcm, 'info' | 'read'>): boolean {
    if (!isNative(info) || info.readOnly || !hasPendingIndex(read)) return false
    return !this.#jobs.list().some(({ kind, state }) => kind === 'import' && state === 'running')
  }

  status({ sideIndex, info, read }: Lcm): SearchIndexStatus {
    const nothing = { reason: null, indexedRows: 0, totalRows: 0, bytes: 0, jobId: null }
    if (!sideIndex && (!isNative(info) || !hasPendingIndex(read))) {
      return { state: 'native', ...nothing, jobId: this.#jobId }
    }
    if (!sideIndex)
      return {
        ...nothing,
        state: this.#jobId === null ? 'behind' : 'building',
        reason: LONG_MESSAGE_PENDING,
        jobId: this.#jobId,
      }
    const facts = sideIndex.facts()
    if (sideIndex.current()) return { state: 'ready', reason: null, ...facts, jobId: this.#jobId }
    const reason = sideIndex.absence()
    if (this.#jobId !== null) return { state: 'building', reason, ...facts, jobId: this.#jobId }
    return { state: facts.indexedRows > 0 ? 'behind' : 'none', reason, ...facts, jobId: null }
  }
}
