import { type Stats, statSync } from 'node:fs'
import { setTimeout as later } from 'node:timers/promises'
import { systemClock } from './clock.ts'
import type { LcmEvent } from './contract/event.ts'
import type { IntegrityReport } from './contract/integrity.ts'
import type { Job } from './contract/job.ts'
import type { RepairPlan } from './contract/repair.ts'
import type { SearchIndexStatus } from './contract/search-index.ts'
import { LcmError } from './errors.ts'
import { AutoCompactor } from './jobs/auto-compactor.ts'
import { IndexKeeper } from './jobs/index-keeper.ts'
import { type JobExecutor, Jobs } from './jobs/jobs.ts'
import { type Lcm, type OpenLcmOptions, openLcm } from './lcm.ts'
import type { Machine } from './machine/machine.ts'
import type { Confirm } from './settings/confirmation.ts'
import { SettingsStore } from './settings/settings-store.ts'
import { isNativeFile } from './sqlite/memory-file.ts'
import { isNative } from './systems/native/native.ts'

const WATCH_INTERVAL_MS = 500
/** A core that is closed waits this long for its jobs; whoever closes it waits a little longer. */
const CLOSE_LIMIT_MS = 3000
/** And as long as this for a file that is being opened, which a program that locks it may hold up. */
const OPENING_LIMIT_MS = 1000
/** An answer that is on its way when its memory is opened anew has this long to be finished with the old one. */
const RETIREMENT_MS = 60_000
const MOST_RETIRED = 3

export type CoreOptions = {
  /** The memory file; null for a welcome window. */
  readonly path: string | null
  readonly open: OpenLcmOptions
  readonly machine: Machine
  readonly execute: JobExecutor
  /** Compact what is past a threshold, from the beginning and whether or not somebody listens. Default: no. */
  readonly autoCompact?: boolean
  /** The file is listed among the recent ones. Default: yes. */
  readonly isRemembered?: boolean
  /** Asks the user, outside of the page, about what a page wants the settings to reach. */
  readonly confirm?: Confirm
}

/**
 * What one window talks to: at most one open memory, its jobs, and what happens to it. The file is opened at the first
 * call, so that a file that cannot be opened is an answer and not a dead window.
 */
export class Core {
  readonly machine: Machine
  readonly jobs: Jobs
  readonly settings: SettingsStore
  readonly #options: CoreOptions
  readonly #autoCompactor: AutoCompactor | null
  readonly #indexKeeper: IndexKeeper
  readonly #listeners = new Set<(event: LcmEvent) => void>()
  #lcm: Lcm | null = null
  #opening: Promise<Lcm> | null = null
  #timer: NodeJS.Timeout | null = null
  /** Of the file as it was last looked at; null before it was. */
  #seen: string | null = null
  /** Of the settings file as it was when the memory was opened. */
  #settingsSeen = ''
  readonly #retired = new Map<Lcm, NodeJS.Timeout>()
  /** Of a file that `#openUnasked` passed over, so that it is not read again until it changes; null where none stands. */
  #notOurs: string | null = null
  #isClosed = false
  lastReport: IntegrityReport | null = null
  lastPlan: RepairPlan | null = null

  constructor(options: CoreOptions) {
    this.#options = options
    this.machine = options.machine
    this.settings = new SettingsStore({
      env: process.env,
      keys: options.open.keys ?? null,
      ...(options.confirm && { confirm: options.confirm }),
    })
    const clock = options.open.clock ?? systemClock
    this.jobs = new Jobs(options.execute, clock, (job) => this.#onJob(job))
    this.#indexKeeper = new IndexKeeper(this.jobs, clock)
    this.#autoCompactor = options.autoCompact ? new AutoCompactor(this.jobs) : null
    if (this.#autoCompactor && options.path !== null) this.#startTimer()
  }

  /**
   * The memory as it is now: opened, or opened anew, where that is due.
   * @throws LcmError no_memory_open in a welcome window, otherwise why the file cannot be opened
   */
  async lcm(): Promise<Lcm> {
    // A file that is read at rest may have changed since nobody listened: look before answering from what it was.
    if (this.#lcm && (this.#lcm.info.access !== 'in_place' || this.#lcm.isOutdated())) this.#watch()
    this.#heedSettings()
    if (this.#lcm) return this.#lcm
    const { path } = this.#options
    if (path === null || this.#isClosed) throw noMemoryError()
    this.#opening ??= this.#open(path).finally(() => {
      this.#opening = null
    })
    return await this.#opening
  }

  async #open(path: string): Promise<Lcm> {
    // Also of a file that cannot be opened: when it changes, the window tries again.
    this.#seen = this.#stamp()
    this.#settingsSeen = this.settings.stamp()
    const lcm = await openLcm(path, this.#options.open)
    if (this.#isClosed) {
      lcm.close()
      throw noMemoryError()
    }
    this.#lcm = lcm
    this.#seen = this.#stamp()
    if (this.#options.isRemembered ?? true) this.machine.recent.remember(lcm.info)
    return lcm
  }

  /** How searches of the open memory are answered. */
  async searchIndex(): Promise<SearchIndexStatus> {
    return this.#indexKeeper.status(await this.lcm())
  }

  /** The native memory that is open and can be read; null in a welcome window, for other files and for broken ones. */
  async openMemory(): Promise<Lcm | null> {
    if (this.#options.path === null) return null
    try {
      const lcm = await this.lcm()
      return isNative(lcm.info) ? lcm : null
    } catch (error) {
      // The window shows by itself why its file cannot be opened.
      if (error instanceof LcmError) return null
      throw error
    }
  }

  get path(): string | null {
    return this.#options.path
  }

  /** Calls `listener` until the returned function is called. The file is watched while anybody listens. */
  subscribe(listener: (event: LcmEvent) => void): () => void {
    this.#listeners.add(listener)
    this.#startTimer()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0 && this.#timer && !this.#autoCompactor) {
        clearInterval(this.#timer)
        this.#timer = null
      }
    }
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => {
      void this.#openUnasked()
      this.#watch()
      if (this.#lcm && this.#listeners.size > 0) this.#indexKeeper.look(this.#lcm)
    }, WATCH_INTERVAL_MS)
  }

  /** To compact a native memory that nobody looks at. Other systems' files are opened for those who ask only. */
  async #openUnasked(): Promise<void> {
    const { path } = this.#options
    if (!this.#autoCompactor || this.#lcm || this.#opening || path === null || this.#isClosed) return
    const file = statOrNull(path)
    const stamp = file && `${file.ino}:${file.size}:${file.mtimeMs}`
    if (stamp === this.#notOurs) return
    if (!(await isNativeFile(path))) {
      this.#notOurs = stamp
      return
    }
    const lcm = await this.openMemory()
    if (lcm) this.#autoCompactor.look(lcm)
  }

  /** Stops the jobs, then lets go of the file. A call that comes later opens nothing any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    this.#listeners.clear()
    await this.jobs.cancelAll(CLOSE_LIMIT_MS)
    for (const [lcm, timer] of this.#retired) {
      clearTimeout(timer)
      lcm.close()
    }
    this.#retired.clear()
    // What is opened after that closes itself.
    await Promise.race([this.#opening?.catch(() => null), later(OPENING_LIMIT_MS, null, { ref: false })])
    this.#lcm?.close()
    this.#lcm = null
  }

  /** A memory is opened with the settings of that moment: when they change, the next call opens it anew. */
  #heedSettings(): boolean {
    const lcm = this.#lcm
    if (!lcm || this.#options.open.settings || this.settings.stamp() === this.#settingsSeen) return false
    this.#retire(lcm)
    return true
  }

  #retire(lcm: Lcm): void {
    const close = (one: Lcm): void => {
      clearTimeout(this.#retired.get(one))
      this.#retired.delete(one)
      one.close()
    }
    this.#retired.set(lcm, setTimeout(() => close(lcm), RETIREMENT_MS).unref())
    const [oldest] = this.#retired.keys()
    if (oldest && this.#retired.size > MOST_RETIRED) close(oldest)
    this.#lcm = null
  }

  #onJob(job: Job): void {
    if (job.result?.kind === 'integrity') this.lastReport = job.result.value
    if (job.result?.kind === 'repair_plan') this.lastPlan = job.result.value
    // Both speak of a file that is another now.
    if (job.state === 'done' && (job.kind === 'repair' || job.kind === 'surgery' || job.kind === 'undo'))
      this.lastPlan = null
    this.#indexKeeper.onJob(job)
    this.#emit({ kind: 'job', job })
    if (job.state !== 'running') this.#watch()
  }

  #watch(): void {
    if (this.#isClosed || this.#seen === null) return
    if (this.#heedSettings()) {
      this.#seen = this.#stamp()
      this.#emit({ kind: 'database_changed', atMs: Date.now() })
      return
    }
    const stamp = this.#stamp()
    const lcm = this.#lcm
    const isOutdated = lcm?.isOutdated() ?? false
    if (stamp === this.#seen && !isOutdated) return
    if (lcm && lcm.info.access === 'in_place' && isSameFile(stamp, this.#seen)) {
      // The agent came or went: what is under way still gets its answers.
      if (isOutdated) this.#retire(lcm)
    } else if (lcm) {
      // What is open is an image, or a file that is not at its path any more: the next call opens what has come.
      lcm.close()
      this.#lcm = null
    }
    this.#seen = this.#stamp()
    this.#emit({ kind: 'database_changed', atMs: Date.now() })
    if (this.#lcm) this.#autoCompactor?.look(this.#lcm)
  }

  /** Changes when the memory changed; the part before the line is which file it is. */
  #stamp(): string {
    const { path } = this.#options
    if (path === null) return ''
    const [file, log] = [path, `${path}-wal`].map(statOrNull)
    const identity = file ? `${file.dev}:${file.ino}` : 'nothing'
    const version = this.#lcm ? versionOf(this.#lcm) : ''
    if (this.#lcm?.info.access === 'in_place') return `${identity}|${version}`
    // The version of what is read at rest tells of files beside it.
    return `${identity}|${[file, log].map((one) => (one ? `${one.size}:${one.mtimeMs}` : '-')).join(' ')} ${version}`
  }

  #emit(event: LcmEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

const noMemoryError = (): LcmError =>
  new LcmError('no_memory_open', 'No memory is open in this window: open a file first.')

const isSameFile = (one: string, other: string): boolean => one.split('|')[0] === other.split('|')[0]

function statOrNull(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    // Its folder cannot be entered any more: opening it will say so.
    return null
  }
}

/** Counts commits of other connections; a file that cannot even say that has changed for the worse. */
function versionOf(lcm: Lcm): string {
  try {
    return String(lcm.read.dataVersion())
  } catch {
    return 'unreadable'
  }
}
