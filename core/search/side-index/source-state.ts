import { realpathSync, statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { MemoryInfo } from '../../contract/memory.ts'
import { fileStamp, isQuiet, isSettled, TICK_MS } from '../../sqlite/file-stamp.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'

/** What the clock of this process leaves off of a time. */
const CLOCK_MS = 1
/** Between attempts to name what was written this moment; all of them together are some ticks of a file system. */
const NAMING_MS = 15
const NAMING_ATTEMPTS = 5

/**
 * Stamp of a file at rest and of what belongs to it, taken before it is opened; waits for a tick of the file system's
 * clock when it was written this very moment. null when its time cannot tell later writes.
 */
export async function stampAtRest(path: string): Promise<string | null> {
  if (restOf(path) === 'unsettled') await setTimeout(TICK_MS + CLOCK_MS)
  return stampNow(path)
}

function stampNow(path: string): string | null {
  const rest = restOf(path)
  return rest === 'unsettled' ? null : rest
}

/** The stamp of a file at rest, unless it was written this moment; null for one that is not. */
function restOf(path: string): string | 'unsettled' | null {
  try {
    const realPath = realpathSync(path)
    if (statSync(`${realPath}-shm`, { throwIfNoEntry: false }) && !isEmptyLog(realPath)) return null
    return partsOf(realPath).every(isSettled) ? filesState(realPath) : 'unsettled'
  } catch {
    // What stands there cannot be read; opening it says why.
    return null
  }
}

/** What `name` says, or will say in a moment: of content that was just written. null when it goes on being written. */
export async function nameSoon(name: () => string | null): Promise<string | null> {
  for (let attempt = 1; attempt < NAMING_ATTEMPTS; attempt += 1) {
    const id = name()
    if (id !== null) return id
    await setTimeout(NAMING_MS)
  }
  return name()
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
    const isStill = options.info.access !== 'in_place' && stampNow(options.info.path) === options.openedStamp
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

const filesState = (realPath: string): string => `files ${partsOf(realPath).map(stampUnlessEmpty).join(' ')}`

const isEmptyLog = (realPath: string): boolean =>
  statSync(`${realPath}-shm`, { throwIfNoEntry: false }) !== undefined &&
  !statSync(`${realPath}-wal`, { throwIfNoEntry: false })?.size

/** null when their times cannot tell later writes, or readers may not see yet what was written. */
const liveState = (realPath: string): string | null =>
  partsOf(realPath).every((part) => isSettled(part) && isQuiet(part)) ? filesState(realPath) : null

const stampUnlessEmpty = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.size ? fileStamp(path) : 'nothing'
