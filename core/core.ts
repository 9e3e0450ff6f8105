import { resolve } from 'node:path'
import { setTimeout as later } from 'node:timers/promises'
import { ActivityReader } from './activity/activity-reader.ts'
import { systemClock } from './clock.ts'
import type { LcmEvent } from './contract/event.ts'
import type { IntegrityReport } from './contract/integrity.ts'
import type { Job, JobResult } from './contract/job.ts'
import { CHANGING_JOBS } from './contract/lists.ts'
import type { RepairPlan } from './contract/repair.ts'
import type { SearchIndexStatus } from './contract/search-index.ts'
import type { SqlAnswer, SqlInput, SqlTable } from './contract/sql.ts'
import type { DatabaseServers } from './database.ts'
import { databases } from './databases.ts'
import { LcmError } from './errors.ts'
import { AutoCompactor } from './jobs/auto-compactor.ts'
import { FileLooks } from './jobs/file-looks.ts'
import { Follower } from './jobs/follower.ts'
import { IndexKeeper } from './jobs/index-keeper.ts'
import { type JobExecutor, type JobRequest, Jobs } from './jobs/jobs.ts'
import { OpeningCheck } from './jobs/opening-check.ts'
import { type Lcm, type OpenLcmOptions, openLcm } from './lcm.ts'
import { elapsedMs, errorFields, levelOfError, logEvent, memoryKey } from './log.ts'
import type { Machine } from './machine/machine.ts'
import { notesStamp } from './notes/note-table.ts'
import { checkStatement } from './query/check-statement.ts'
import {
  forkStatement,
  runStatement,
  type StartStatement,
  type StatementEnd,
  type StatementTask,
} from './query/run-statement.ts'
import { SavedQueries } from './query/saved-queries.ts'
import type { Confirm } from './settings/confirmation.ts'
import { loadSettings, SettingsStore } from './settings/settings-store.ts'
import { isNativeFile, reachableStat } from './sqlite/memory-file.ts'
import { isNative } from './systems/native/native.ts'
import { recheckCount } from './systems/reading/recheck-time.ts'

/** Closing waits this long for the jobs. The caller of `close` waits a little longer. */
const CLOSE_LIMIT_MS = 3000
/** Closing waits this long for a file that is being opened, because a program that locks the file may delay that. */
const OPENING_LIMIT_MS = 1000
/** An answer that is on its way when its memory is opened anew has this long to be finished with the old connection. */
const RETIREMENT_MS = 60_000
const MOST_RETIRED = 3
/** Listing tables needs no rows. A file that takes longer is not one to wait for. */
const TABLES_LIMIT_MS = 10_000

export type CoreOptions = {
  /** The memory file; null for a welcome window. */
  readonly path: string | null
  readonly open: OpenLcmOptions
  readonly machine: Machine
  readonly execute: JobExecutor
  /** Whether conversations past a threshold are compacted from the start, even if nobody listens. Default: no. */
  readonly autoCompact?: boolean
  /** Whether the file is listed among the recent ones. Default: yes. */
  readonly isRemembered?: boolean
  /** Asks the user, outside of the page, whether the settings may reach what a page wants. */
  readonly confirm?: Confirm
  /** Starts a process for a statement of the user. Default: one of Node. */
  readonly startStatement?: StartStatement
}

/**
 * The core behind one window: at most one open memory, its jobs and its events. The file is opened at the first call,
 * so that a file that cannot be opened is an error in an answer and not a window that shows nothing.
 */
export class Core {
  readonly machine: Machine
  readonly jobs: Jobs
  readonly activity: ActivityReader
  readonly settings: SettingsStore
  readonly queries: SavedQueries
  readonly #options: CoreOptions
  readonly #autoCompactor: AutoCompactor | null
  readonly #indexKeeper: IndexKeeper
  readonly follower: Follower
  #servers: Promise<DatabaseServers> | null = null
  readonly #openingCheck: OpeningCheck
  readonly #listeners = new Set<(event: LcmEvent) => void>()
  #lcm: Lcm | null = null
  #opening: Promise<Lcm> | null = null
  readonly #looks = new FileLooks({ look: () => this.#watch(), lookAround: () => this.#lookAround() })
  /** The stamp of the file when it was last looked at, or null before. */
  #seen: string | null = null
  /** The stamp of the settings file when the memory was opened. */
  #settingsSeen = ''
  /** The stamp of the notes when they were last looked at. */
  #notesSeen: string
  readonly #retired = new Map<Lcm, NodeJS.Timeout>()
  /**
   * The stamp of a file that `#openUnasked` passed over, so that it is not read again until it changes. Null when there
   * is none.
   */
  #notOurs: string | null = null
  #isClosed = false
  lastReport: IntegrityReport | null = null
  lastPlan: RepairPlan | null = null

  constructor(options: CoreOptions) {
    this.#options = options
    this.machine = options.machine
    this.#notesSeen = notesStamp(this.machine.folders.data)
    this.queries = new SavedQueries(this.machine.folders.data)
    this.activity = new ActivityReader(this.machine.folders.log, options.path && resolve(options.path))
    this.settings = new SettingsStore({
      env: process.env,
      keys: options.open.keys ?? null,
      ...(options.confirm && { confirm: options.confirm }),
    })
    const clock = options.open.clock ?? systemClock
    this.jobs = new Jobs(
      options.execute,
      clock,
      (job) => this.#onJob(job),
      (request, result) => this.#jobAfter(request, result),
    )
    this.#indexKeeper = new IndexKeeper(this.jobs, clock)
    this.follower = new Follower(this.jobs, clock, () => this.servers())
    this.#openingCheck = new OpeningCheck(this.jobs)
    this.#autoCompactor = options.autoCompact ? new AutoCompactor(this.jobs) : null
    if (this.#autoCompactor && options.path !== null) this.#looks.start()
  }

  /**
   * Returns the open memory, and opens it first where that is due.
   * @throws LcmError no_memory_open in a welcome window, otherwise the reason why the file cannot be opened
   */
  async lcm(): Promise<Lcm> {
    // A file that is read at rest may have changed while nobody listened, so it is checked before it is answered from.
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

  /** See `runStatement`. @throws LcmError as that, and as `lcm` */
  async runSql({ sql, limit, timeoutMs }: SqlInput, signal?: AbortSignal): Promise<SqlAnswer> {
    const reply = await this.#askProcess({ kind: 'sql', sql: checkStatement(sql), limit }, timeoutMs, signal)
    if (reply.kind !== 'answer') throw new Error('a statement is answered with rows')
    return reply.answer
  }

  async sqlTables(signal?: AbortSignal): Promise<SqlTable[]> {
    const reply = await this.#askProcess({ kind: 'tables' }, TABLES_LIMIT_MS, signal)
    if (reply.kind !== 'tables') throw new Error('a question for tables is answered with tables')
    return [...reply.tables]
  }

  async #askProcess(
    asked: StatementTask['asked'],
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<StatementEnd> {
    const { info } = await this.lcm()
    const { cacheDir, allowNewer = false } = this.#options.open
    const start = this.#options.startStatement ?? forkStatement
    return runStatement(start, { path: info.path, allowNewer, cacheDir, asked }, timeoutMs, signal)
  }

  async #open(path: string): Promise<Lcm> {
    // The stamp is also kept of a file that cannot be opened: when it changes, the window tries again.
    this.#seen = this.#stamp()
    this.#settingsSeen = this.settings.stamp()
    const lcm = await this.#openLogged(path)
    if (this.#options.isRemembered ?? true) await this.machine.recent.remember(lcm.info)
    if (this.#isClosed) {
      lcm.close()
      throw noMemoryError()
    }
    this.#lcm = lcm
    this.#seen = this.#stamp()
    this.#autoCompactor?.onOpened()
    return lcm
  }

  async #openLogged(path: string): Promise<Lcm> {
    const start = performance.now()
    const memory = memoryKey(resolve(path))
    try {
      const lcm = await openLcm(path, this.#options.open)
      const { system, access, bytes } = lcm.info
      logEvent('info', 'memory', 'memory.opened', { memory, system, access, bytes, duration_ms: elapsedMs(start) })
      return lcm
    } catch (error) {
      const { error_code = 'internal', ...rest } = errorFields(error)
      const fields = { memory, duration_ms: elapsedMs(start), error_code, ...rest }
      logEvent(levelOfError(error_code), 'memory', 'memory.refused', fields)
      throw error
    }
  }

  /** Says which index searches of the open memory use. */
  async searchIndex(): Promise<SearchIndexStatus> {
    return this.#indexKeeper.status(await this.lcm())
  }

  /**
   * Returns the native memory that is open and can be read, or null in a welcome window, for other systems' files and
   * for broken ones.
   */
  async openMemory(): Promise<Lcm | null> {
    if (this.#options.path === null) return null
    try {
      const lcm = await this.lcm()
      return isNative(lcm.info) ? lcm : null
    } catch (error) {
      // The window itself shows why its file cannot be opened.
      if (error instanceof LcmError) return null
      throw error
    }
  }

  /** The PostgreSQL databases that the user has connected to. Their code is loaded with the first call. */
  servers(): Promise<DatabaseServers> {
    this.#servers ??= databases().then((kind) =>
      kind.servers({ folders: this.machine.folders, env: process.env, keys: this.#options.open.keys ?? null }),
    )
    return this.#servers
  }

  get path(): string | null {
    return this.#options.path
  }

  /** Calls `listener` until the returned function is called. The file is watched while anybody listens. */
  subscribe(listener: (event: LcmEvent) => void): () => void {
    this.#listeners.add(listener)
    this.#looks.start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0 && !this.#autoCompactor) this.#looks.stop()
    }
  }

  #lookAround(): void {
    void this.#openUnasked()
    this.watchNotes()
    if (this.#lcm) this.#autoCompactor?.lookAgain(this.#lcm)
    if (this.#lcm && this.#listeners.size > 0) {
      this.#indexKeeper.look(this.#lcm)
      this.follower.look(this.#lcm)
      this.#openingCheck.look(this.#lcm, this.lastReport)
    }
  }

  /**
   * Opens a native memory so that it can be compacted while nobody looks at it. Files of other systems are opened only
   * when somebody asks for them.
   */
  async #openUnasked(): Promise<void> {
    const { path } = this.#options
    if (!this.#autoCompactor || this.#lcm || this.#opening || path === null || this.#isClosed) return
    const file = reachableStat(path)
    const stamp = file && `${file.ino}:${file.size}:${file.mtimeMs}`
    if (stamp === this.#notOurs) return
    if (!(await isNativeFile(path))) {
      this.#notOurs = stamp
      return
    }
    await this.openMemory()
  }

  /** Stops the jobs and closes the file. Later calls open nothing any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#looks.stop()
    this.#listeners.clear()
    await this.jobs.cancelAll(CLOSE_LIMIT_MS)
    void this.#servers?.then((servers) => servers.close())
    for (const [lcm, timer] of this.#retired) {
      clearTimeout(timer)
      lcm.close()
    }
    this.#retired.clear()
    // A memory that is opened after this closes itself.
    await Promise.race([this.#opening?.catch(() => null), later(OPENING_LIMIT_MS, null, { ref: false })])
    this.#lcm?.close()
    this.#lcm = null
  }

  /** A memory is opened with the settings of that moment. When they change, the next call opens it anew. */
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

  /** After an import, the models that are named for it describe its large files. The import never waits for them. */
  #jobAfter({ path }: JobRequest, result: JobResult): JobRequest | null {
    if (this.#isClosed || result.kind !== 'import' || result.value.largeFiles.length === 0) return null
    const { explorers } = this.#options.open.settings ?? loadSettings(process.env)
    return explorers.length === 0
      ? null
      : { path, create: false, spec: { kind: 'explore', ids: result.value.largeFiles } }
  }

  #onJob(job: Job): void {
    if (job.result?.kind === 'integrity') this.lastReport = job.result.value
    if (job.result?.kind === 'repair_plan') this.lastPlan = job.result.value
    // The results of repair and surgery describe a file that has changed since.
    if (job.state === 'done' && CHANGING_JOBS.includes(job.kind)) this.lastPlan = null
    this.#indexKeeper.onJob(job)
    this.follower.onJob(job)
    this.#autoCompactor?.onJob(job)
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
    this.#looks.noteChange()
    if (lcm && lcm.info.access === 'in_place' && isSameFile(stamp, this.#seen)) {
      // The agent came or went, so the file is opened anew. Calls that are running still get their answers.
      if (isOutdated) this.#retire(lcm)
    } else if (lcm) {
      // The open memory is an image, or its file is no longer at its path. The next call opens the file that is there now.
      lcm.close()
      this.#lcm = null
    }
    this.#seen = this.#stamp()
    this.#emit({ kind: 'database_changed', atMs: Date.now() })
    if (this.#lcm) this.#autoCompactor?.look(this.#lcm)
  }

  /** Tells the listeners when a pin or note changed, in this window or anywhere else. */
  watchNotes(): void {
    const stamp = notesStamp(this.machine.folders.data)
    if (stamp === this.#notesSeen) return
    this.#notesSeen = stamp
    this.#emit({ kind: 'notes', atMs: Date.now() })
  }

  /** Returns a text that changes when the memory changed. The part before the bar identifies the file. */
  #stamp(): string {
    const { path } = this.#options
    if (path === null) return ''
    const stateOf = (one: ReturnType<typeof reachableStat>): string => (one ? `${one.size}:${one.mtimeMs}` : '-')
    const file = reachableStat(path)
    const identity = file ? `${file.dev}:${file.ino}` : 'nothing'
    const version = this.#lcm ? versionOf(this.#lcm) : ''
    if (this.#lcm?.info.access === 'in_place') return `${identity}|${version}`
    // The version of a memory that is read at rest covers the files beside it.
    return `${identity}|${stateOf(file)} ${stateOf(reachableStat(`${path}-wal`))} ${version}`
  }

  #emit(event: LcmEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

const noMemoryError = (): LcmError =>
  new LcmError('no_memory_open', 'No memory is open in this window: open a file first.')

const isSameFile = (one: string, other: string): boolean => one.split('|')[0] === other.split('|')[0]

/**
 * Returns a text that differs after a commit of another connection, and when rows are due to be looked at again. A file
 * that cannot even give it counts as changed.
 */
function versionOf({ read }: Lcm): string {
  try {
    const version = read.dataVersion()
    return `${version} ${recheckCount(read, version)}`
  } catch {
    return 'unreadable'
  }
}
