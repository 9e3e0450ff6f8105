import { statSync } from 'node:fs'
import { systemClock } from './clock.ts'
import type { LcmEvent } from './contract/event.ts'
import type { IntegrityReport } from './contract/integrity.ts'
import type { Job } from './contract/job.ts'
import { LcmError } from './errors.ts'
import { type JobExecutor, Jobs } from './jobs/jobs.ts'
import { type Lcm, type OpenLcmOptions, openLcm } from './lcm.ts'
import type { Machine } from './machine/machine.ts'

const WATCH_INTERVAL_MS = 500

export type CoreOptions = {
  /** The memory file; null for a welcome window. */
  readonly path: string | null
  readonly open: OpenLcmOptions
  readonly machine: Machine
  readonly execute: JobExecutor
}

/**
 * What one window talks to: at most one open memory, its jobs, and what happens to it. The file is opened at the first
 * call, so that a file that cannot be opened is an answer and not a dead window.
 */
export class Core {
  readonly machine: Machine
  readonly jobs: Jobs
  readonly #options: CoreOptions
  readonly #listeners = new Set<(event: LcmEvent) => void>()
  #lcm: Lcm | null = null
  #timer: NodeJS.Timeout | null = null
  #seen = ''
  lastReport: IntegrityReport | null = null

  constructor(options: CoreOptions) {
    this.#options = options
    this.machine = options.machine
    this.jobs = new Jobs(options.execute, options.open.clock ?? systemClock, (job) => this.#onJob(job))
  }

  /**
   * The open memory.
   * @throws LcmError no_memory_open in a welcome window, otherwise why the file cannot be opened
   */
  lcm(): Lcm {
    if (this.#lcm) return this.#lcm
    if (this.#options.path === null) {
      throw new LcmError('no_memory_open', 'No memory is open in this window: open a file first.')
    }
    this.#lcm = openLcm(this.#options.path, this.#options.open)
    this.machine.recent.remember(this.#lcm.info)
    this.#seen = this.#stamp()
    return this.#lcm
  }

  get path(): string | null {
    return this.#options.path
  }

  /** Calls `listener` until the returned function is called. The file is watched while anybody listens. */
  subscribe(listener: (event: LcmEvent) => void): () => void {
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => this.#watch(), WATCH_INTERVAL_MS)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0 && this.#timer) {
        clearInterval(this.#timer)
        this.#timer = null
      }
    }
  }

  close(): void {
    this.jobs.cancelAll()
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    this.#listeners.clear()
    this.#lcm?.close()
    this.#lcm = null
  }

  #onJob(job: Job): void {
    if (job.result?.kind === 'integrity') this.lastReport = job.result.value
    this.#emit({ kind: 'job', job })
    if (job.state !== 'running') this.#watch()
  }

  #watch(): void {
    if (!this.#lcm) return
    const stamp = this.#stamp()
    if (stamp === this.#seen) return
    this.#seen = stamp
    if (this.#lcm.info.access !== 'in_place') {
      // The image is older than the file now: the next call opens the file as it has become.
      this.#lcm.close()
      this.#lcm = null
    }
    this.#emit({ kind: 'database_changed', atMs: Date.now() })
  }

  /** Changes when the memory changed: our view's data version in place, the files' size and time through an image. */
  #stamp(): string {
    const lcm = this.#lcm
    if (!lcm) return ''
    if (lcm.info.access === 'in_place') return String(lcm.read.dataVersion())
    return [lcm.info.path, `${lcm.info.path}-wal`]
      .map((path) => statSync(path, { throwIfNoEntry: false }))
      .map((file) => (file ? `${file.size}:${file.mtimeMs}` : '-'))
      .join(' ')
  }

  #emit(event: LcmEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}
