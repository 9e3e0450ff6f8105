import type { IntegrityReport } from '../contract/integrity.ts'
import { isCheckedJobRunning } from '../contract/lists.ts'
import type { Lcm } from '../lcm.ts'
import type { Jobs } from './jobs.ts'

/** A file up to this size is read completely, which takes a few seconds in a thread in which nobody waits. */
const WHOLE_UP_TO_BYTES = 64 * 1024 * 1024
/** The window is shown first. It is looked at twice a second. */
const LOOKS_BEFORE = 3

/** Has a memory checked once in the background when a window opens it, unless the settings forbid it. */
export class OpeningCheck {
  readonly #jobs: Jobs
  #looks = 0
  #isDone = false

  constructor(jobs: Jobs) {
    this.#jobs = jobs
  }

  /** Is called repeatedly while somebody looks. @param report of a check that was asked for meanwhile */
  look({ info, settings }: Lcm, report: IntegrityReport | null): void {
    if (this.#isDone || !settings.checkOnOpening) return
    this.#looks += 1
    if (this.#looks < LOOKS_BEFORE) return
    if (isCheckedJobRunning(this.#jobs.list())) return
    this.#isDone = true
    if (report !== null) return
    const phases = info.bytes > WHOLE_UP_TO_BYTES ? ({ phases: 'structure' } as const) : {}
    this.#jobs.start({ path: info.path, create: false, spec: { kind: 'integrity', ...phases } })
  }
}
