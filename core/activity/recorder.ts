import { setTimeout as wait } from 'node:timers/promises'
import type { LogLevel } from '../contract/lists.ts'
import { LcmError } from '../errors.ts'
import { type LogEvent, listenToEvents } from '../log.ts'
import type { ActivityDb } from './activity-db.ts'
import type { Counts, Sample } from './counts.ts'
import { LogFiles } from './log-files.ts'
import type { EventLogger } from './logger.ts'

/** Events wait this long, so that writing is no part of what they are about. */
const WAIT_MS = 400
/** The first ones wait longer: loading what writes takes a tenth of a second, in which a window waits for its memory. */
const FIRST_WAIT_MS = 2000
/** A thread that never pauses must not fill its memory with events. */
const MOST_WAITING = 5_000

export type RecorderOptions = {
  /** The folder of the log; it need not exist. */
  readonly folder: string
  readonly level: LogLevel
}

/** Counts and events that could not be written wait for the next time: at most this many of each. */
const MOST_UNWRITTEN = 5_000
const RETRY_MS = 10_000
/** When the program ends, writing to a locked file is tried this many times, with a pause of this length after each. */
const LAST_ATTEMPTS = 20
const LAST_WAIT_MS = 50

type Unwritten = { readonly samples: readonly Sample[]; readonly events: readonly LogEvent[] }
type Counting = { readonly counts: Counts; readonly openDb: typeof ActivityDb.open }

/** Events of these sources are not counted, so that a short command need not load the library that counts. */
const NOT_COUNTED: ReadonlySet<LogEvent['source']> = new Set(['process', 'command', 'memory', 'mcp'])

/**
 * Records what happens in this thread until it is closed: in the log, and in counts. An event is put into a list, and
 * written a moment later. The libraries that write are loaded for the first event only. Nothing here fails the program:
 * what cannot be written is lost.
 */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #files: LogFiles
  #waiting: LogEvent[] = []
  #dropped = 0
  #timer: NodeJS.Timeout | null = null
  #logger: Promise<EventLogger> | null = null
  #counting: Promise<Counting> | null = null
  #db: ActivityDb | null = null
  #triedAtMs = Number.NEGATIVE_INFINITY
  #unwritten: Unwritten = { samples: [], events: [] }
  /** Why the counts could not be written the last time: another process is making or writing their file. */
  #isLocked = false
  #flushing: Promise<void> = Promise.resolve()

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#files = new LogFiles(options.folder)
    listenToEvents({ level: options.level, take: (event) => this.#take(event), flush: () => this.flush() })
  }

  /** Writes what waits. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    // One after another, so that lines stay in order.
    this.#flushing = this.#flushing
      .then(() => this.#write())
      .catch(() => {
        // An event that cannot be written is lost, and nothing else is.
      })
    return this.#flushing
  }

  /** Writes what waits, and listens no more. */
  async close(): Promise<void> {
    listenToEvents(null)
    await this.flush()
    await this.#writeLeft()
    this.#files.close()
    this.#db?.close()
    this.#db = null
  }

  #take(event: LogEvent): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped += 1
      return
    }
    this.#waiting.push(event)
    const waitMs = this.#logger === null && event.level !== 'error' ? FIRST_WAIT_MS : WAIT_MS
    this.#timer ??= setTimeout(() => void this.flush(), waitMs).unref()
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return
    this.#logger ??= loadLogger(this.#files, this.#options.level)
    const logger = await this.#logger
    const events = this.#waiting
    this.#waiting = []
    const nowMs = Date.now()
    if (this.#dropped > 0) {
      const fields = { count: this.#dropped }
      events.push({ atMs: nowMs, level: 'warn', source: 'process', event: 'log.dropped', fields })
      this.#dropped = 0
    }
    logger.write(events, nowMs)
    const counted = events.filter(({ source }) => !NOT_COUNTED.has(source))
    if (counted.length > 0) await this.#count(counted, nowMs)
  }

  async #count(events: readonly LogEvent[], nowMs: number): Promise<void> {
    this.#counting ??= loadCounting()
    const { counts, openDb } = await this.#counting
    for (const event of events) counts.add(event)
    const { samples, events: kept } = this.#unwritten
    const next = { samples: [...samples, ...(await counts.take())], events: [...kept, ...events] }
    const isWritten = this.#keep(next, openDb, nowMs)
    this.#unwritten = {
      samples: isWritten ? [] : next.samples.slice(-MOST_UNWRITTEN),
      events: isWritten ? [] : next.events.slice(-MOST_UNWRITTEN),
    }
  }

  /** Writes the counts that others kept from being written. */
  async #writeLeft(): Promise<void> {
    if (!this.#counting) return
    const { openDb } = await this.#counting
    for (let attempt = 0; this.#unwritten.samples.length > 0 && this.#isLocked; attempt += 1) {
      if (attempt === LAST_ATTEMPTS) return
      if (attempt > 0) await wait(LAST_WAIT_MS)
      this.#triedAtMs = Number.NEGATIVE_INFINITY
      if (this.#keep(this.#unwritten, openDb, Date.now())) return
    }
  }

  /** Returns false when the counts could not be written. */
  #keep({ samples, events }: Unwritten, openDb: Counting['openDb'], nowMs: number): boolean {
    if (this.#db === null && nowMs - this.#triedAtMs < RETRY_MS) return false
    this.#triedAtMs = nowMs
    try {
      this.#db ??= openDb(this.#options.folder, nowMs)
      this.#db.add(samples, events, nowMs)
      return true
    } catch (error) {
      this.#isLocked = error instanceof LcmError && error.code === 'locked'
      // A folder without rights, a full disk, somebody else's long transaction: it is tried again later.
      this.#db?.close()
      this.#db = null
      return false
    }
  }
}

async function loadLogger(files: LogFiles, level: LogLevel): Promise<EventLogger> {
  const { EventLogger } = await import('./logger.ts')
  return new EventLogger(files, level)
}

async function loadCounting(): Promise<Counting> {
  const [{ Counts }, { ActivityDb }] = await Promise.all([import('./counts.ts'), import('./activity-db.ts')])
  return { counts: new Counts(), openDb: ActivityDb.open }
}
