import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import type { MemoryInfo } from '../contract/memory.ts'
import { fileStamp } from '../db/file-guard.ts'
import { pause } from '../db/pause.ts'
import type { ReadDb } from '../db/read-db.ts'

/**
 * A write may leave the time of a file as it is when it follows another within one tick of the file system's clock.
 * Older than this, a time tells every write that comes. File systems that keep whole seconds only tick every second or two.
 */
const TICK_MS = 20
const COARSE_TICK_MS = 2000

/** Of the index of a write-ahead log: the header twice. https://www.sqlite.org/walformat.html#the_wal_index_file_format */
const LOG_HEADER_BYTES = 48
/** Of a database: up to the end of the change counter. https://www.sqlite.org/fileformat2.html#file_change_counter */
const COUNTER_BYTES = 28

/**
 * Stamp of a file at rest and of what belongs to it, taken before it is opened; waits for a tick of the file system's
 * clock when it was written this very moment. null when its time cannot tell later writes.
 */
export function stampAtRest(path: string): string | null {
  try {
    const realPath = realpathSync(path)
    if (statSync(`${realPath}-shm`, { throwIfNoEntry: false })) return null
    if (!partsOf(realPath).every(isSettled)) pause(TICK_MS)
    return filesState(realPath)
  } catch {
    // What stands there cannot be read; opening it says why.
    return null
  }
}

export type SourceStateOptions = {
  readonly read: ReadDb
  readonly info: Pick<MemoryInfo, 'path' | 'access'>
  /** `stampAtRest` before the file was opened. */
  readonly openedStamp: string | null
  /** Absolute paths of other files that belong to the memory. */
  readonly companions: readonly string[]
}

/** Names the exact content that a connection reads now, the same for every process and over time. */
export class SourceState {
  readonly realPath: string
  readonly #options: SourceStateOptions
  readonly #restStamp: string | null
  #known: { readonly version: number; readonly id: string } | null = null

  constructor(options: SourceStateOptions) {
    this.#options = options
    this.realPath = realpathSync(options.info.path)
    const isStill = options.info.access !== 'in_place' && stampAtRest(options.info.path) === options.openedStamp
    this.#restStamp = isStill ? options.openedStamp : null
  }

  /** Two equal names stand for the same texts. null while the content cannot be named: then it equals nothing. */
  id(): string | null {
    const { read } = this.#options
    const version = read.dataVersion()
    if (this.#known?.version === version) return this.#known.id
    const id = this.#name()
    if (id === null) return null
    // What stayed the same from before to after was so in between.
    if (read.dataVersion() === version) this.#known = { version, id }
    // Over an empty log the version may count reads; then the files themselves must have stayed as they were.
    else if (!isEmptyLog(this.realPath) || this.#name() !== id) return null
    return id
  }

  #name(): string | null {
    const { info, companions } = this.#options
    try {
      if (!companions.every(isSettled)) return null
      const own = info.access === 'in_place' ? liveState(this.realPath) : this.#restStamp
      return own && [own, ...companions.map(fileStamp)].join('|')
    } catch {
      // A file that is being replaced or cannot be read any more.
      return null
    }
  }
}

const partsOf = (realPath: string): string[] => ['', '-wal', '-journal'].map((suffix) => `${realPath}${suffix}`)

/** Of a database whose content stands in its files alone. null when their times cannot tell later writes. */
function filesState(realPath: string): string | null {
  const parts = partsOf(realPath)
  return parts.every(isSettled) ? `files ${parts.map(stampUnlessEmpty).join(' ')}` : null
}

const isEmptyLog = (realPath: string): boolean =>
  statSync(`${realPath}-shm`, { throwIfNoEntry: false }) !== undefined &&
  !statSync(`${realPath}-wal`, { throwIfNoEntry: false })?.size

function liveState(realPath: string): string | null {
  if (isEmptyLog(realPath)) return filesState(realPath)
  const { dev, ino } = statSync(realPath)
  if (statSync(`${realPath}-shm`, { throwIfNoEntry: false })) {
    // Of a log without a writer only the file itself counts, in which there may be more than the index tells of.
    if (!isSettled(`${realPath}-wal`)) return null
    const start = startOf(`${realPath}-shm`, 2 * LOG_HEADER_BYTES)
    const header = start.subarray(0, LOG_HEADER_BYTES)
    const isWhole = start.length === 2 * LOG_HEADER_BYTES && header.equals(start.subarray(LOG_HEADER_BYTES))
    return isWhole ? `log ${dev}:${ino} ${header.toString('base64')} ${fileStamp(`${realPath}-wal`)}` : null
  }
  const start = startOf(realPath, COUNTER_BYTES)
  const isWal = start[18] === 2
  const journal = statSync(`${realPath}-journal`, { throwIfNoEntry: false })
  if (start.length < COUNTER_BYTES || isWal || journal?.size) return null
  return `counter ${fileStamp(realPath)} ${start.readUInt32BE(24)}`
}

/**
 * The first bytes of a file that is open as a database. Closing a descriptor of it would drop this process's locks
 * (see `readStart`), so another process reads it, except on Windows, which has no such rule.
 */
function startOf(path: string, bytes: number): Buffer {
  if (process.platform !== 'win32') {
    return spawnSync('head', ['-c', String(bytes), path], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout
  }
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(bytes)
    return start.subarray(0, readSync(file, start, 0, bytes, 0))
  } finally {
    closeSync(file)
  }
}

function isSettled(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) return true
  const tick = file.mtimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS
  return Date.now() - file.mtimeMs > tick
}

const stampUnlessEmpty = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.size ? fileStamp(path) : 'nothing'
