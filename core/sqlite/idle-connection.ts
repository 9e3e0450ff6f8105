import { blockThread } from '../yielding.ts'
import { fileStamp, isQuiet, isSettled, LONGEST_COMMIT_MS } from './file-stamp.ts'
import { lookAgain, type MemoryFile } from './memory-file.ts'
import { type ReadCalls, type ReadDb, readCalls } from './read-db.ts'
import { closedMeanwhile, isBusy } from './sqlite-error.ts'
import type { ReadOnlyConnection } from './uri-db.ts'

/** A connection is released this long after its last read, or later while another process writes. */
const RELEASE_AFTER_MS = 1000
const RELEASE_AT_LATEST_MS = 4000
const CHECK_AGAIN_MS = 200
/**
 * A read does not wait for a writer with an exclusive lock, but it tries again a few times for a writer that is about
 * to finish.
 */
const ATTEMPTS = 8
const PAUSE_MS = 5

export type IdleOptions = {
  readonly file: MemoryFile
  /** Absolute paths of other files that belong to the memory. */
  readonly companions: readonly string[]
  /** The first connection, ready for reading. */
  readonly first: ReleasableConnection
  /**
   * Opens another connection to the same file. The given `isUnchanged` tells whether the file, after it was inspected
   * again, is still as it was when the previous connection was released.
   * @throws LcmError what opening throws
   */
  readonly open: (isUnchanged: () => boolean) => ReleasableConnection & {
    /** True when the file has the same structure as at first. */
    readonly hasSameStructure: boolean
  }
  /** Tells whether the file, in its present state, still has to be read in place. */
  readonly isLive: (file: MemoryFile) => boolean
}

export type ReleasableConnection = ReadOnlyConnection & {
  /** Called before the connection is released, so that the next connection can take over derived tables. */
  beforeRelease?(): void
}

/**
 * A connection to a file that has a writer. It is released when nothing was read for a second, and made again with the
 * next read. An open connection holds a lock, and the writer could not remove its log when it ends
 * (https://www.sqlite.org/wal.html#the_wal_file). `dataVersion` continues across connections: while none is open, it is
 * derived from the stamps of the files. It changes whenever a file may have changed.
 */
export class IdleConnection {
  readonly db: ReadDb
  readonly #options: IdleOptions
  readonly #files: readonly string[]
  #connection: ReleasableConnection | null
  /** The stamp of the files before the connection was made. */
  #openedAtStamp = ''
  #hasSameStructure = true
  #isClosed = false
  #openings = 1
  /** Iterators that have begun and not ended. Each one reads a single state of the file. */
  #iterating = 0
  #timer: NodeJS.Timeout | null = null
  #lastReadMs = 0

  /** The version that callers see. */
  #version = 1
  /** The version of the connection at the time of `#version`. */
  #raw: number
  /** The stamp of the files at the time of `#version`. */
  #stamp = ''
  /** True when everything written by then was read, so that any later write changes the stamp. */
  #isReliable = false
  /** The latest check for release that found a new stamp. */
  #lastCheck = { stamp: '', atMs: 0 }

  constructor(options: IdleOptions) {
    const { file, companions, first } = options
    const { path, realPath } = file
    this.#options = options
    this.#files = [realPath, `${realPath}-wal`, `${realPath}-journal`, ...companions]
    this.#connection = first
    this.#raw = first.db.dataVersion()
    const read = <T>(body: (db: ReadCalls) => T): T => {
      try {
        return body(this.#opened())
      } finally {
        this.#wasRead()
      }
    }
    this.db = {
      path,
      ...readCalls(read, (start) => this.#stepping(start)),
      dataVersion: () => this.#versionNow(),
      ownChanges: () => 0,
      close: () => this.#close(),
      [Symbol.dispose]: () => this.#close(),
    }
    this.#wasRead()
  }

  /**
   * True when the file has another structure or route than at first, so that what was found out about it no longer
   * holds.
   */
  isOutdated(): boolean {
    return !this.#hasSameStructure || (this.#connection === null && !this.#isLive())
  }

  #isLive(): boolean {
    try {
      const now = lookAgain(this.#options.file)
      return now !== null && this.#options.isLive(now)
    } catch {
      // The file is gone, or its folder cannot be entered. The next read reports the error.
      return false
    }
  }

  get isOpen(): boolean {
    return this.#connection !== null
  }

  /** Returns how many connections were opened. */
  get openings(): number {
    return this.#openings
  }

  *#stepping<T>(start: (db: ReadCalls) => IterableIterator<T>): Generator<T> {
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
    // A connection that does not follow changes is opened again when the file has changed.
    if (this.#connection && !this.#follows && this.#iterating === 0 && this.#stampNow() !== this.#openedAtStamp)
      this.#release()
    return (this.#connection ?? this.#open()).db
  }

  #open(): ReleasableConnection {
    if (this.#isClosed) throw closedMeanwhile(this.#options.file.path)
    const before = this.#stampNow()
    const made = withoutWaiting(() => this.#options.open(() => this.#isUnchanged()))
    this.#connection = made
    this.#openedAtStamp = before
    this.#openings += 1
    this.#raw = made.db.dataVersion()
    this.#hasSameStructure &&= made.hasSameStructure && made.access === 'in_place'
    if (!this.#isUnchanged()) this.#changed(before)
    return made
  }

  /** True when the connection itself notices changes. */
  get #follows(): boolean {
    return this.#connection?.access === 'in_place'
  }

  #versionNow(): number {
    if (!this.#connection || !this.#follows) {
      // A copy is read on although the file was written, and what is kept of it belongs to the state that it has.
      if (this.#iterating > 0) return this.#version
      const stamp = this.#stampNow()
      if (stamp !== this.#stamp) this.#changed(stamp)
      return this.#version
    }
    const raw = this.#connection.db.dataVersion()
    if (raw === this.#raw) return this.#version
    this.#raw = raw
    // Next to a log without a writer, SQLite reports a change at every check.
    if (!this.#isUnchanged()) this.#changed(this.#stampNow())
    return this.#version
  }

  #isUnchanged(): boolean {
    return this.#isReliable && this.#stampNow() === this.#stamp
  }

  #changed(stamp: string): void {
    this.#version += 1
    this.#stamp = stamp
    this.#isReliable = false
  }

  #stampNow(): string {
    try {
      return this.#files.map(fileStamp).join(' ')
    } catch {
      // The folder cannot be entered any more. The next read reports the error.
      return 'unknown'
    }
  }

  #wasRead(): void {
    this.#lastReadMs = performance.now()
    this.#checkIn(RELEASE_AFTER_MS)
  }

  #checkIn(afterMs: number): void {
    if (this.#timer || !this.#follows) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#checkForRelease()
    }, afterMs).unref()
  }

  /**
   * Releases the connection when the stamps alone will reveal every change, or when the file is written all the time.
   */
  #checkForRelease(): void {
    // The end of the last iterator starts the timer again.
    if (!this.#connection || this.#iterating > 0) return
    const idleMs = performance.now() - this.#lastReadMs
    if (idleMs < RELEASE_AFTER_MS) {
      this.#checkIn(RELEASE_AFTER_MS - idleMs)
      return
    }
    try {
      const isReliable = this.#confirmStamp()
      if (!isReliable && idleMs < RELEASE_AT_LATEST_MS) {
        this.#checkIn(CHECK_AGAIN_MS)
        return
      }
      // An empty stamp matches none, so that changes that may have been missed count as changes.
      if (!isReliable) this.#stamp = ''
      this.#connection.beforeRelease?.()
    } catch {
      // No caller waits for an answer here. The next read reports the error.
      this.#isReliable = false
    }
    this.#release()
  }

  #confirmStamp(): boolean {
    const stamp = this.#stampNow()
    if (!this.#isQuiet(stamp)) return false
    // The order matters: the version of the connection is read last.
    this.#versionNow()
    if (this.#stampNow() !== stamp) return false
    this.#stamp = stamp
    this.#isReliable = true
    return true
  }

  /**
   * Decides by the times of the files, or by what changed since the last read, because the clock of another computer
   * may be ahead.
   */
  #isQuiet(stamp: string): boolean {
    if (stamp !== this.#lastCheck.stamp) this.#lastCheck = { stamp, atMs: performance.now() }
    if (performance.now() - this.#lastCheck.atMs > LONGEST_COMMIT_MS) return true
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

/** Makes a few attempts within some milliseconds. */
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
