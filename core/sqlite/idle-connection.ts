import { statSync } from 'node:fs'
import { changedMeanwhile, fileStamp, isSettled, TICK_MS } from './file-guard.ts'
import { isAllSeen, readLogIndex } from './log-index.ts'
import type { ReadDb } from './read-db.ts'
import type { ReadOnlyConnection } from './read-only-connection.ts'

/** So long after the last read a connection is let go, or longer where opening it again is dear. */
const SHORTEST_REST_MS = 50
const LONGEST_REST_MS = 5000
const RESTS_PER_OPENING = 4
/** While a writer is in the middle of something. */
const LONGEST_WAIT_MS = 1000
/** A file that was another at so many looks is being written all the time: what is read next is new anyway. */
const MOST_CHANGES = 5

export type IdleOptions = {
  /** As people know the file. */
  readonly path: string
  readonly realPath: string
  /** Absolute paths of other files that belong to the memory. */
  readonly companions: readonly string[]
  /** Open and ready to be read. */
  readonly first: RestingConnection
  /** How long making it ready took. */
  readonly firstMs: number
  /**
   * Makes another one like it. `isUnchanged` says, when asked after a look at the file, whether it is still as it was
   * when the one before was let go.
   * @throws LcmError what opening throws
   */
  readonly open: (isUnchanged: () => boolean) => RestingConnection & {
    /** The file is built as it was at first. */
    readonly isAsTold: boolean
  }
  /** From what stands in the folder: the file is still to be read in place. Costs microseconds, never throws. */
  readonly isLive: () => boolean
}

export type RestingConnection = ReadOnlyConnection & {
  /** Called before it is let go: the next one may take over what it has made of the file. */
  rest?(): void
}

/**
 * A connection to a file beside its writer that is let go whenever nobody has read for a moment, and made anew at the
 * next read. An open connection holds a lock for as long as it lives, and a writer that goes meanwhile could not put its
 * log away (https://www.sqlite.org/wal.html#the_wal_file). `dataVersion` goes on over that: while nothing is open it
 * is told by the files alone, and never called the same when it might not be.
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
  #restMs: number
  #lastReadMs = 0
  #waitMs = TICK_MS
  #triedAt = ''
  #changes = 0

  /** What callers are told. */
  #version = 1
  /** What the connection said when `#version` was true of it. */
  #raw: number
  /** Of the files when `#version` was true of them. */
  #stamp = ''
  /** From that moment on nothing can become readable without another stamp. */
  #isFirm = false

  constructor(options: IdleOptions) {
    const { path, realPath, companions, first, firstMs } = options
    this.#options = options
    this.#files = [realPath, `${realPath}-wal`, `${realPath}-journal`, ...companions]
    this.#connection = first
    this.#raw = first.db.dataVersion()
    this.#restMs = restAfter(firstMs)
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
      iterate: (sql, params) => this.#rows((db) => db.iterate(sql, params)),
      iterateRaw: (sql, params) => this.#rows((db) => db.iterateRaw(sql, params)),
      dataVersion: () => this.#versionNow(),
      ownChanges: () => 0,
      close: () => this.#close(),
    }
    this.#wasRead()
  }

  /** The file is not reached, or not built, as it was at first: what was said of it then is not so any more. */
  isOutdated(): boolean {
    return !this.#isAsTold || (this.#connection === null && !this.#options.isLive())
  }

  get isOpen(): boolean {
    return this.#connection !== null
  }

  /** How often the file was opened. */
  get openings(): number {
    return this.#openings
  }

  *#rows<T>(start: (db: ReadDb) => IterableIterator<T>): Generator<T> {
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
    if (this.#connection && !this.#follows && this.#iterating === 0 && this.#stampNow() !== this.#madeOf) this.#letGo()
    return (this.#connection ?? this.#open()).db
  }

  #open(): RestingConnection {
    if (this.#isClosed) throw changedMeanwhile(this.#options.path)
    const began = performance.now()
    const before = this.#stampNow()
    const made = this.#options.open(() => this.#isUnchanged())
    this.#connection = made
    this.#madeOf = before
    this.#openings += 1
    this.#raw = made.db.dataVersion()
    this.#isAsTold &&= made.isAsTold && made.access === 'in_place'
    if (!this.#isUnchanged()) this.#changed(before)
    this.#restMs = restAfter(performance.now() - began)
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
    const stamp = this.#stampNow()
    // Beside a log that no writer holds, SQLite counts every look as a change.
    if (!this.#isFirm || stamp !== this.#stamp) this.#changed(stamp)
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
    this.#waitMs = TICK_MS
    this.#wake(this.#restMs)
  }

  #wake(afterMs: number): void {
    if (this.#timer || !this.#follows) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#look()
    }, afterMs).unref()
  }

  #look(): void {
    // Whoever ends an iteration sets the clock again.
    if (!this.#connection || this.#iterating > 0) return
    const restedMs = performance.now() - this.#lastReadMs
    if (restedMs < this.#restMs) this.#wake(this.#restMs - restedMs)
    else if (this.#mayLetGo()) this.#restNow()
    else {
      this.#wake(this.#waitMs)
      this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS)
    }
  }

  #restNow(): void {
    try {
      this.#connection?.rest?.()
      this.#letGo()
    } catch {
      // Nobody waits for an answer; the next read says what is wrong.
    }
  }

  /** True once it is sure that the files alone tell whatever comes, or that nothing can be sure. */
  #mayLetGo(): boolean {
    try {
      const stamp = this.#stampNow()
      if (!this.#files.every(isSettled)) return this.#isAlwaysWritten(stamp)
      // In this order: what the connection sees is looked at last.
      const isWhole = this.#isAllSeen()
      this.#versionNow()
      if (this.#stampNow() !== stamp) return this.#isAlwaysWritten(stamp)
      if (!isWhole) return false
      this.#stamp = stamp
      this.#isFirm = true
    } catch {
      // What cannot be looked at any more: the next read says why.
      this.#isFirm = false
    }
    return true
  }

  #isAllSeen(): boolean {
    const { realPath } = this.#options
    if (!statSync(`${realPath}-wal`, { throwIfNoEntry: false })?.size) return true
    const index = readLogIndex(realPath)
    return index !== null && isAllSeen(realPath, index)
  }

  #isAlwaysWritten(stamp: string): boolean {
    if (stamp !== this.#triedAt) this.#changes += 1
    this.#triedAt = stamp
    if (this.#changes < MOST_CHANGES) return false
    this.#isFirm = false
    return true
  }

  #letGo(): void {
    const connection = this.#connection
    this.#connection = null
    this.#changes = 0
    connection?.close()
  }

  #close(): void {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#letGo()
  }
}

const restAfter = (openingMs: number): number =>
  Math.min(Math.max(SHORTEST_REST_MS, openingMs * RESTS_PER_OPENING), LONGEST_REST_MS)
