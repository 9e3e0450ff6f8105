import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ActivityHistory, ActivityInput, LogInput, LogPage } from '../contract/activity.ts'
import { LcmError } from '../errors.ts'
import { loggedLevel, memoryKey, settleEvents } from '../log.ts'
import type { ActivityDb } from './activity-db.ts'
import type { MemoryFigures, Sample } from './counts.ts'
import { historyOf, type KeptActivity } from './history.ts'
import { LOG_LIMITS } from './log-files.ts'
import { readLog } from './log-reader.ts'

/** Reads what was recorded, of one memory or of all. */
export class ActivityReader {
  readonly #folder: string
  readonly #memory: string | null

  /** @param path the absolute path of the open memory, or null */
  constructor(folder: string, path: string | null) {
    this.#folder = folder
    this.#memory = path === null ? null : memoryKey(path)
  }

  /** @throws LcmError invalid_argument for a cursor that leads nowhere */
  async log(input: LogInput): Promise<LogPage> {
    await settleEvents()
    return {
      ...(await readLog(this.#folder, input, this.#memory)),
      folder: this.#folder,
      mostBytes: LOG_LIMITS.totalBytes,
      days: LOG_LIMITS.days,
      level: loggedLevel(),
      problem: problemOf(this.#folder),
    }
  }

  async history({ days, of }: ActivityInput, nowMs: number): Promise<ActivityHistory> {
    const fromMs = nowMs - days * 86_400_000
    const nothing: KeptActivity = { hours: () => [], events: () => [] }
    const isEmpty = of === 'this' && this.#memory === null
    const range = { fromMs, toMs: nowMs, memory: of === 'this' ? this.#memory : null }
    const problem = problemOf(this.#folder)
    const db = isEmpty ? null : await this.#open()
    if (db instanceof LcmError) return { ...historyOf(nothing, range), problem: problem ?? db.message }
    try {
      return { ...historyOf(db ?? nothing, range), problem }
    } finally {
      db?.close()
    }
  }

  /**
   * Returns all counts since the beginning in the text format of Prometheus, with what the open memory holds now.
   * https://prometheus.io/docs/instrumenting/exposition_formats/
   */
  async prometheus(figures: MemoryFigures | null, of: 'this' | 'all'): Promise<string> {
    const isShown = ({ labels: { memory } }: Sample): boolean =>
      of === 'all' || memory === undefined || memory === this.#memory
    const { Counts } = await import('./counts.ts')
    const counts = new Counts()
    if (figures !== null && this.#memory !== null) counts.showMemory(this.#memory, figures)
    return counts.text((await this.#totals()).filter(isShown), of === 'all' ? (labels) => labels : withoutMemory)
  }

  async #totals(): Promise<Sample[]> {
    const db = await this.#open()
    if (db === null || db instanceof LcmError) return []
    try {
      return db.totals()
    } finally {
      db.close()
    }
  }

  /** Opens the counts after what waits was added to them, or says why they cannot be opened. */
  async #open(): Promise<ActivityDb | LcmError | null> {
    await settleEvents()
    try {
      const { ActivityDb } = await import('./activity-db.ts')
      return ActivityDb.openExisting(this.#folder)
    } catch (error) {
      if (error instanceof LcmError) return error
      return new LcmError('file_not_readable', `What happened cannot be recorded in ${this.#folder}.`)
    }
  }
}

/** Of one memory alone every figure has the same. */
const withoutMemory = ({ memory: _, ...labels }: Sample['labels']): Sample['labels'] => labels

/** Says why a folder cannot be written, or returns null. A folder that is missing is made when it is needed. */
function problemOf(folder: string): string | null {
  try {
    const parent = existingParent(folder)
    accessSync(parent, constants.R_OK | constants.W_OK | constants.X_OK)
    if (statSync(parent).isDirectory()) return null
  } catch {
    // The reason is the user's to see; the next look finds out whether it is gone.
  }
  return `${folder} cannot be read and written: nothing is recorded. Check the rights of the folder, or name another with LCM_LOG_DIR.`
}

const existingParent = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : existingParent(dirname(folder))
