import { realpathSync, statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { fileStamp, isQuiet, isSettled, TICK_MS } from '#core/sqlite/file-stamp.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

/** How much the clock of this process may cut off a time. */
const CLOCK_MS = 1
/**
 * The wait between attempts to identify content that was written this moment. All attempts together take some ticks of
 * the file system's clock.
 */
const NAMING_MS = 15
const NAMING_ATTEMPTS = 5

/**
 * Returns the stamp of a file at rest and of the files that belong to it. It is taken before the file is opened. When
 * the file was written this moment, it waits for the next ticks of the file system's clock. Returns null when later
 * writes would not change the stamp.
 */
export async function stampAtRest(path: string): Promise<string | null> {
  for (let attempt = 1; attempt < NAMING_ATTEMPTS && restOf(path) === 'unsettled'; attempt += 1)
    await setTimeout(TICK_MS + CLOCK_MS)
  return stampNow(path)
}

function stampNow(path: string): string | null {
  const rest = restOf(path)
  return rest === 'unsettled' ? null : rest
}

/**
 * Returns the stamp of a file at rest, 'unsettled' when it was written this moment, or null when the file is not at
 * rest.
 */
function restOf(path: string): string | 'unsettled' | null {
  try {
    const realPath = realpathSync(path)
    if (statSync(`${realPath}-shm`, { throwIfNoEntry: false }) && !isEmptyLog(realPath)) return null
    return partsOf(realPath).every(isSettled) ? filesState(realPath) : 'unsettled'
  } catch {
    // The file cannot be read, and opening it will say why.
    return null
  }
}

/**
 * Returns what `name` returns now or, for content that was just written, in a moment. Returns null when writing goes
 * on.
 */
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
  /** The absolute paths of other files that belong to the memory. */
  readonly companions: readonly string[]
}

/** Identifies the exact content that a connection reads, with the same id in every process and at any time. */
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

  /**
   * Returns the id of the present content. Equal ids mean equal texts. Null means that the content cannot be identified
   * now and equals nothing.
   */
  id(): string | null {
    const { read } = this.#options
    const version = read.dataVersion()
    if (this.#known?.version === version) return this.#known.id
    const id = this.#name()
    if (id === null) return null
    // When the version is the same before and after, the content did not change in between.
    if (read.dataVersion() === version) this.#known = { version, id }
    // Over an empty log the version may count reads. Then the files themselves must be unchanged.
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
      // The file is being replaced or cannot be read any more.
      return null
    }
  }
}

const partsOf = (realPath: string): string[] => ['', '-wal', '-journal'].map((suffix) => `${realPath}${suffix}`)

const filesState = (realPath: string): string => `files ${partsOf(realPath).map(stampUnlessEmpty).join(' ')}`

const isEmptyLog = (realPath: string): boolean =>
  statSync(`${realPath}-shm`, { throwIfNoEntry: false }) !== undefined &&
  !statSync(`${realPath}-wal`, { throwIfNoEntry: false })?.size

/**
 * Returns null when later writes would not change the times of the files, or when readers may not see yet what was
 * written.
 */
const liveState = (realPath: string): string | null =>
  partsOf(realPath).every((part) => isSettled(part) && isQuiet(part)) ? filesState(realPath) : null

const stampUnlessEmpty = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.size ? fileStamp(path) : 'nothing'
