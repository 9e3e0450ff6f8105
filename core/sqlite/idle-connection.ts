import { blockThread } from '../yielding.ts'
import { changedMeanwhile, fileStamp, isQuiet, isSettled, LONGEST_COMMIT_MS } from './file-stamp.ts'
import { lookAgain, type MemoryFile } from './memory-file.ts'
import type { ReadDb } from './read-db.ts'
import { isBusy } from './sqlite-error.ts'
import type { ReadOnlyConnection } from './uri-db.ts'

/** So long after the last read a connection is released, or later while somebody writes. */
const REST_MS = 1000
const LONGEST_REST_MS = 4000
const LOOK_MS = 200
/** Whoever reads cannot wait for a writer that has the file for itself, but for one that is done in a moment. */
const ATTEMPTS = 8
const PAUSE_MS = 5

export type IdleOptions = {
  readonly file: MemoryFile
  /** Absolute paths of other files that belong to the memory. */
  readonly companions: readonly string[]
  /** Open and ready to be read. */
  readonly first: RestingConnection
  /**
   * Makes another one like it. `isUnchanged` says, when asked after a look at the file, whether it is still as it was
   * when the one before was released.
   * @throws LcmError what opening throws
   */
  readonly open: (isUnchanged: () => boolean) => RestingConnection & {
    /** The file is built as it was at first. */
    readonly isAsTold: boolean
  }
  /** The file, as it is now, is still to be read in place. */
  readonly isLive: (file: MemoryFile) => boolean
}

export type RestingConnection = ReadOnlyConnection & {
  /** Called before it is released: the next one may take over what it has made of the file. */
  rest?(): void
}

/**
 * A connection to a file beside its writer that is released when nobody has read for a second, and made anew at the next
 * read. An open connection holds a lock for as long as it lives, and a writer that goes meanwhile could not put its log
 * away (https://www.sqlite.org/wal.html#the_wal_file). `dataVersion` goes on over that: while nothing is open it is told
 * by the files alone, and they count as changed unless they had been left alone for a while before they were read last.
 */
export class IdleConnection {
  readonly db: ReadDb
  readonly #options: IdleOptions
  readonly #files: readonly string[]
  #connection: RestingConnection | null
  /** Of the files before it was made. */
  #madeOf = ''
  #isAsTold = true
  #isClosed = false
  #openings = 1
  /** Iterations that have begun and not ended: each reads one state of the file. */
  #iterating = 0
  #timer: NodeJS.Timeout | null = null
  #lastReadMs = 0

  /** What callers are told. */
  #version = 1
  /** What the connection said when `#version` was true of it. */
  #raw: number
  /** Of the files when `#version` was true of them. */
  #stamp = ''
  /** All that had been written to them by then was read: only another stamp tells of more. */
  #isFirm = false
  /** At the last look for a release that found another stamp. */
  #looked = { stamp: '', atMs: 0 }

  constructor(options: IdleOptions) {
    const { file, companions, first } = options
    const { path, realPath } = file
    this.#options = options
    this.#files = [realPath, `${realPath}-wal`, `${realPath}-journal`, ...companions]
    this.#connection = first
    this.#raw = first.db.dataVersion()
    const read = <T>(body: (db: ReadDb) => T): T => {
      try {
        return body(this.#opened())
      } finally {
        this.#wasRead()
      }
    }
    this.db = {
      path,
      all: (sql, params) => read((db) => db.all(sql, params)),
      get: (sql, params) => read((db) => db.get(sql, params)),
      value: (sql, params) => read((db) => db.value(sql, params)),
      column: (sql, params) => read((db) => db.column(sql, params)),
      rows: (sql, params) => read((db) => db.rows(sql, params)),
      iterate: (sql, params) => this.#stepping((db) => db.iterate(sql, params)),
      dataVersion: () => this.#versionNow(),
      ownChanges: () => 0,
      close: () => this.#close(),
    }
    this.#wasRead()
  }

  /** The file is not reached, or not built, as it was at first: what was said of it then is not so any more. */
  isOutdated(): boolean {
    return !this.#isAsTold || (this.#connection === null && !this.#isLive())
  }

  #isLive(): boolean {
    try {
      const now = lookAgain(this.#options.file)
      return now !== null && this.#options.isLive(now)
    } catch {
      // It is gone, or its folder cannot be entered any more: the next read says so.
      return false
    }
  }

  get isOpen(): boolean {
    return this.#connection !== null
  }

  /** How often the file was opened. */
  get openings(): number {
    return this.#openings
  }

  *#stepping<T>(start: (db: ReadDb) => IterableIterator<T>): Generator<T> {
    const db = this.#opened()
    this.#iterating += 1
    try {
      yield* start(db)
    } finally {
      this.#iterating -= 1
      this.#wasRead()
    }
  }

  #opened(): ReadDb {
    // What is not followed shows the file as it was: once it is another, it is read anew.
    if (this.#connection && !this.#follows && this.#iterating === 0 && this.#stampNow() !== this.#madeOf)
      this.#release()
    return (this.#connection ?? this.#open()).db
  }

  #open(): RestingConnection {
    if (this.#isClosed) throw changedMeanwhile(this.#options.file.path)
    const before = this.#stampNow()
    const made = withoutWaiting(() => this.#options.open(() => this.#isUnchanged()))
    this.#connection = made
    this.#madeOf = before
    this.#openings += 1
    this.#raw = made.db.dataVersion()
    this.#isAsTold &&= made.isAsTold && made.access === 'in_place'
    if (!this.#isUnchanged()) this.#changed(before)
    return made
  }

  /** The connection itself notices what is written. */
  get #follows(): boolean {
    return this.#connection?.access === 'in_place'
  }

  #versionNow(): number {
    if (!this.#connection || !this.#follows) {
      const stamp = this.#stampNow()
      if (stamp !== this.#stamp) this.#changed(stamp)
      return this.#version
    }
    const raw = this.#connection.db.dataVersion()
    if (raw === this.#raw) return this.#version
    this.#raw = raw
    // Beside a log that no writer holds, SQLite counts every look as a change.
    if (!this.#isUnchanged()) this.#changed(this.#stampNow())
    return this.#version
  }

  #isUnchanged(): boolean {
    return this.#isFirm && this.#stampNow() === this.#stamp
  }

  #changed(stamp: string): void {
    this.#version += 1
    this.#stamp = stamp
    this.#isFirm = false
  }

  #stampNow(): string {
    try {
      return this.#files.map(fileStamp).join(' ')
    } catch {
      // A folder that cannot be entered any more: the next read says so.
      return 'unknown'
    }
  }

  #wasRead(): void {
    this.#lastReadMs = performance.now()
    this.#lookIn(REST_MS)
  }

  #lookIn(afterMs: number): void {
    if (this.#timer || !this.#follows) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#look()
    }, afterMs).unref()
  }

  /** Releases the connection once the files alone tell whatever comes, or when they are written all the time. */
  #look(): void {
    // Whoever ends an iteration sets the clock again.
    if (!this.#connection || this.#iterating > 0) return
    const restedMs = performance.now() - this.#lastReadMs
    if (restedMs < REST_MS) {
      this.#lookIn(REST_MS - restedMs)
      return
    }
    try {
      const isFirm = this.#becomesFirm()
      if (!isFirm && restedMs < LONGEST_REST_MS) {
        this.#lookIn(LOOK_MS)
        return
      }
      // The stamp of nothing: what may have been missed counts as a change.
      if (!isFirm) this.#stamp = ''
      this.#connection.rest?.()
    } catch {
      // Nobody waits for an answer; the next read says what is wrong.
      this.#isFirm = false
    }
    this.#release()
  }

  #becomesFirm(): boolean {
    const stamp = this.#stampNow()
    if (!this.#isQuiet(stamp)) return false
    // In this order: what the connection sees is looked at last.
    this.#versionNow()
    if (this.#stampNow() !== stamp) return false
    this.#stamp = stamp
    this.#isFirm = true
    return true
  }

  /** By the times of the files, or by what was seen of them since the last read: another computer's clock may be ahead. */
  #isQuiet(stamp: string): boolean {
    if (stamp !== this.#looked.stamp) this.#looked = { stamp, atMs: performance.now() }
    if (performance.now() - this.#looked.atMs > LONGEST_COMMIT_MS) return true
    return this.#files.every((file) => isQuiet(file) && isSettled(file))
  }

  #release(): void {
    const connection = this.#connection
    this.#connection = null
    connection?.close()
  }

  #close(): void {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#release()
  }
}

/** A few attempts within some milliseconds. @throws LcmError locked */
function withoutWaiting<T>(open: () => T): T {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return open()
    } catch (error) {
      if (!isBusy(error) || attempt === ATTEMPTS) throw error
      blockThread(PAUSE_MS)
    }
  }
}
