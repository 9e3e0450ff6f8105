import { accessSync, constants, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Capabilities, MemoryInfo } from '#core/contract/memory.ts'
import { isDatabaseAddress } from '#core/database-address.ts'
import { LcmError } from '#core/errors.ts'
import { userFolders } from '#core/folders.ts'
import { isDistrusted } from '#core/sqlite/distrusted-files.ts'
import { isMissingOrEmpty, type MemoryFile, measureFile, pathExists } from '#core/sqlite/memory-file.ts'
import { NATIVE_VERSION, newerVersionError, openNative } from '#core/sqlite/native.ts'
import { SMALL_PAGE_CACHE } from '#core/sqlite/page-cache.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { connectReadOnly, openPatiently, type TakeCopy } from '#core/sqlite/route.ts'
import { APPLICATION_ID } from '#core/sqlite/schema.ts'
import type { ReadOnlyConnection } from '#core/sqlite/uri-db.ts'
import { inSlices } from '#core/yielding.ts'
import { readOrigin } from './copied-from.ts'
import { type OpenedReadOnly, openingForeign } from './open-foreign.ts'
import { readOurs } from './open-ours.ts'
import { readPulledFrom } from './pulled-from.ts'

export type OpenMemoryOptions = {
  /** Make a native file where nothing stands yet, or an empty file; its folder must exist. */
  readonly create?: boolean
  /** Open a native file for reading only. */
  readonly readOnly?: boolean
  /** Open a native file of a newer version, for reading only. */
  readonly allowNewer?: boolean
  /** Where copies go that are needed to leave no trace. Default: the user's cache folder. */
  readonly cacheDir?: string
}

export type OpenedMemory = Disposable & {
  readonly info: MemoryInfo
  readonly read: ReadDb
  /** null when the file must not or cannot be written; `info.readOnlyReason` says why. */
  readonly write: WriteDb | null
  /**
   * True when `info` no longer holds: the file is reached by another route since its writer went, or has another
   * structure. What is read is right all the same. Costs microseconds, and opens nothing.
   */
  isOutdated(): boolean
  close(): void
}

/** Closes by `close`, or at the end of a block with `using`. */
const closing = (close: () => void) => ({ close, [Symbol.dispose]: close })

/** The capabilities of native files. */
export const NATIVE_CAPABILITIES: Capabilities = {
  parts: true,
  files: true,
  runs: true,
  storedWindow: true,
  levels: true,
  fullTextIndex: true,
  substringIndex: true,
}

/** `readOnlyReason` of a file that could be written, but was asked for with `readOnly`. */
export const READ_ONLY_BY_CHOICE = 'The file was opened for reading only.'

const NOT_BY_THIS_USER = 'The file cannot be written by this user.'

/**
 * Opens a memory file of any known system. Native files are opened for writing where that is possible; files of other
 * systems are read through views with our names, and neither they nor their folder are changed.
 * @throws LcmError file_missing, file_is_folder, file_not_readable, file_empty, file_truncated, file_corrupt,
 * not_a_database, not_a_memory, newer_version, locked, disk_full, invalid_argument
 */
export async function openMemory(path: string, options: OpenMemoryOptions = {}): Promise<OpenedMemory> {
  if (isDatabaseAddress(path)) throw notAFileError()
  const absolute = resolve(path)
  if (options.create && isMissingOrEmpty(absolute)) return createMemory(absolute)
  const cacheDir = options.cacheDir ?? userFolders(process.env).cache
  return openPatiently(absolute, cacheDir, (file, takeCopy) => inSlices(openingInspected(file, options, takeCopy)))
}

/** The address may hold a password, so it is not repeated. */
const notAFileError = (): LcmError =>
  new LcmError(
    'invalid_argument',
    'A PostgreSQL database is not opened as a file: copy a conversation into a file with "lcm pull" and open that.',
  )

/** One attempt, a piece at a time. @throws LcmError as `openMemory`; `locked` at once */
export function* openingInspected(
  file: MemoryFile,
  options: OpenMemoryOptions,
  takeCopy: TakeCopy,
): Generator<void, OpenedMemory> {
  if (file.header.applicationId === APPLICATION_ID) return openOurs(file, options, takeCopy)
  const connection = connectReadOnly(file, takeCopy)
  // The mark of a file that was made this moment may still be in its log.
  if (!isOurs(connection)) return asReadOnly(file, yield* openingForeign(file, connection))
  connection.close()
  return openOurs(file, options, takeCopy)
}

/** Whether the file is a native one. Closes `connection` when it throws. */
function isOurs(connection: ReadOnlyConnection): boolean {
  try {
    return connection.db.value('PRAGMA application_id') === APPLICATION_ID
  } catch (error) {
    connection.close()
    throw error
  }
}

export function createMemory(path: string): OpenedMemory {
  if (!pathExists(dirname(path))) {
    throw new LcmError('file_missing', `${path} cannot be created: its folder does not exist. Make the folder first.`, {
      path,
    })
  }
  return asWritable(openNative(path), path)
}

function openOurs(file: MemoryFile, options: OpenMemoryOptions, takeCopy: TakeCopy): OpenedMemory {
  const opened = openAsItStands(file, options, takeCopy)
  if (isDistrusted(file.realPath)) return opened
  // When a value is met that the tables of the file forbid, the file is opened again in another way.
  return { ...opened, isOutdated: () => isDistrusted(file.realPath) || opened.isOutdated() }
}

function openAsItStands(file: MemoryFile, options: OpenMemoryOptions, takeCopy: TakeCopy): OpenedMemory {
  const version = file.header.userVersion
  if (version > NATIVE_VERSION && !options.allowNewer) throw newerVersionError(file.path, version)
  const reason = readOnlyReason(file, options)
  if (reason !== null) return openOursReadOnly(file, reason, takeCopy)
  try {
    return asWritable(openNative(file.realPath, { header: file.header, waitMs: 0 }), file.path)
  } catch (error) {
    if (!(error instanceof LcmError) || error.code !== 'read_only_file') throw error
    const why = typeof error.details?.reason === 'string' ? error.details.reason : NOT_BY_THIS_USER
    return openOursReadOnly(file, why, takeCopy)
  }
}

function asWritable(db: WriteDb, path: string): OpenedMemory {
  try {
    db.exec(SMALL_PAGE_CACHE)
    const info = describe(path, {
      system: 'native',
      systemLabel: 'LCM Inspector',
      systemVersion: String(NATIVE_VERSION),
      readOnly: false,
      readOnlyReason: null,
      access: 'in_place',
      capabilities: NATIVE_CAPABILITIES,
      ...originOf(db),
    })
    return { info, read: db, write: db, isOutdated: followPath(db, path), ...closing(() => db.close()) }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Returns a function that says whether another file stands at the path of an open file, or the file was cut off. */
function followPath(db: ReadDb, path: string): () => boolean {
  const look = () => statSync(path, { throwIfNoEntry: false })
  const first = look()
  let bytes = first?.size ?? 0
  return () => {
    const now = look()
    if (now?.ino !== first?.ino || now?.dev !== first?.dev) return true
    const size = now?.size ?? 0
    // VACUUM makes a file shorter, too. Then all its pages are there.
    if (size < bytes && isCutOff(db, size)) return true
    bytes = size
    return false
  }
}

/** Whether pages of the file are missing. Some may be in the log only, and then the file is opened again in vain. */
function isCutOff(db: ReadDb, bytes: number): boolean {
  try {
    const pages = db.value<number>('PRAGMA page_count') ?? 0
    return pages * (db.value<number>('PRAGMA page_size') ?? 0) > bytes
  } catch (error) {
    if (error instanceof LcmError) return true
    throw error
  }
}

function openOursReadOnly(file: MemoryFile, reason: string, takeCopy: TakeCopy): OpenedMemory {
  const opened = readOurs(file, takeCopy)
  const facts = {
    system: 'native',
    systemLabel: 'LCM Inspector',
    systemVersion: String(opened.version),
    readOnlyReason: reason,
    capabilities: NATIVE_CAPABILITIES,
    ...originOf(opened.read),
  } as const
  return asReadOnly(file, { ...opened, facts })
}

function asReadOnly(file: MemoryFile, { facts, access, read, ...rest }: OpenedReadOnly): OpenedMemory {
  const info = describe(file.path, { ...facts, readOnly: true, access })
  return { info, read, write: null, ...rest, ...closing(rest.close) }
}

function describe(path: string, facts: Omit<MemoryInfo, 'path' | 'fileName' | 'bytes' | 'modifiedAtMs'>): MemoryInfo {
  return { ...measureFile(path), fileName: basename(path), ...facts }
}

function originOf(db: ReadDb): Pick<MemoryInfo, 'copiedFrom' | 'pulledFrom'> {
  const copiedFrom = readOrigin(db)
  const pulled = readPulledFrom(db)
  if (pulled === null) return copiedFrom === null ? {} : { copiedFrom }
  const { appends: _, changes: __, system: ___, ...pulledFrom } = pulled
  return { ...(copiedFrom !== null && { copiedFrom }), pulledFrom }
}

/** Returns null when the file can be written. */
function readOnlyReason(file: MemoryFile, options: OpenMemoryOptions): string | null {
  if (file.header.userVersion > NATIVE_VERSION) {
    return `The file was written by a newer version (schema ${file.header.userVersion}); this one may only look.`
  }
  if (!isWritable(file.realPath)) return 'The file is write-protected.'
  if (!isWritable(dirname(file.realPath))) return 'The folder of the file is write-protected.'
  return options.readOnly ? READ_ONLY_BY_CHOICE : null
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
