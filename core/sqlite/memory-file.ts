import { type Stats as FileStats, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { LcmError } from '../errors.ts'
import { type FileHeader, isCutHeader, mayBeOpenHere, parseHeader, readStart, startOfFile } from './file-header.ts'
import { APPLICATION_ID } from './schema.ts'

/** What stands at a path, found out without opening it as a database. */
export type MemoryFile = {
  /** The given path, made absolute. */
  readonly path: string
  /** The path with symbolic links resolved. `-wal` and `-shm` stand beside this one. */
  readonly realPath: string
  /** Identifies the file. A file that replaces it has another identity. */
  readonly identity: string
  readonly bytes: number
  readonly modifiedAtMs: number
  readonly header: FileHeader
  /** The size of the `-wal`, or 0 when there is none. */
  readonly walBytes: number
  readonly hasWal: boolean
  readonly hasShm: boolean
  /** True when a rollback journal has content: a writer is at work, or has crashed. */
  readonly hasJournal: boolean
}

/** Returns null when nothing stands at the path. */
function statOrNull(path: string): FileStats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch (error) {
    throw fileError(error, path)
  }
}

/** Returns null also for a link to a missing file and where nothing may be looked at, which opening the file reports. */
export function reachableStat(path: string): FileStats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/** Translates an error of the file system to an `LcmError`. */
export function fileError(error: unknown, path: string): unknown {
  if (error instanceof LcmError) return error
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new LcmError('file_missing', `There is no file at ${path}: check the path.`, { path }, { cause: error })
    case 'EACCES':
    case 'EPERM':
      return new LcmError(
        'file_not_readable',
        `${path} may not be accessed by this user: change the permissions of the file or its folder.`,
        { path },
        { cause: error },
      )
    case 'ENAMETOOLONG':
    case 'ERR_INVALID_ARG_VALUE':
      return new LcmError('invalid_argument', `This cannot be a path: ${path.slice(0, 200)}`, undefined, {
        cause: error,
      })
    case 'EISDIR':
      return new LcmError('file_is_folder', `${path} is a folder: name a file.`, { path }, { cause: error })
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new LcmError(
        'disk_full',
        `${code === 'EFBIG' ? 'Files may not become larger here' : 'The disk is full'}: ${path} could not be written. Free some space, try again.`,
        { path },
        { cause: error },
      )
    case undefined:
      return error
    default:
      return new LcmError(
        'file_not_readable',
        `${path} cannot be accessed (${code}): see that its disk or network folder is there and sound, then try again.`,
        { path, code },
        { cause: error },
      )
  }
}

/** True when something stands at the path. */
export const pathExists = (path: string): boolean => statOrNull(path) !== null

/** True also for a file that another process is about to fill. */
export function isMissingOrEmpty(path: string): boolean {
  const found = statOrNull(path)
  return found === null || (found.isFile() && found.size === 0)
}

const LOOKS = 3
const PAUSE_MS = 20

/**
 * Inspects a path and the files beside it without changing them.
 * @throws LcmError file_missing, file_is_folder, file_not_readable, file_empty, not_a_database, file_truncated,
 * invalid_argument
 */
export async function inspectFile(given: string): Promise<MemoryFile> {
  const path = resolve(given)
  for (let look = 1; ; look += 1) {
    const location = locationOf(path)
    try {
      return fileAt(location, location.isEmpty ? Buffer.alloc(0) : await readStart(location.realPath))
    } catch (error) {
      if (!(error instanceof LcmError)) throw fileError(error, path)
      // Size and header are read one after the other, so a checkpoint in between can make them disagree once, but not
      // three times.
      if (error.code !== 'file_truncated' || look === LOOKS) throw error
      await wait(PAUSE_MS)
    }
  }
}

/** Does the same synchronously. Returns null when this process may have the file open as a database. */
export const inspectAtRest = (given: string): MemoryFile | null =>
  mayBeOpenHere(locationOf(resolve(given)).realPath) ? null : inspectNow(given, startOfFile)

/**
 * Does the same synchronously.
 * @param read returns the first bytes of the file
 * @throws LcmError as `inspectFile`
 */
export function inspectNow(given: string, read: (realPath: string) => Buffer): MemoryFile {
  const location = locationOf(resolve(given))
  try {
    return fileAt(location, location.isEmpty ? Buffer.alloc(0) : read(location.realPath))
  } catch (error) {
    throw error instanceof LcmError ? error : fileError(error, location.path)
  }
}

/** Returns the size of a file with its log, and when it last changed. */
export function measureFile(path: string): Pick<MemoryFile, 'path' | 'bytes' | 'modifiedAtMs'> {
  const file = statOrNull(path)
  if (!file) throw missing(path)
  const wal = statOrNull(`${realpathSync(path)}-wal`)
  return {
    path,
    bytes: file.size + (wal?.size ?? 0),
    modifiedAtMs: Math.round(Math.max(file.mtimeMs, wal && wal.size > 0 ? wal.mtimeMs : 0)),
  }
}

const missing = (path: string): LcmError =>
  new LcmError('file_missing', `There is no file at ${path}: check the path.`, { path })

/** Decides by the first bytes alone. Returns false for a file that cannot be read. */
export async function isNativeFile(path: string): Promise<boolean> {
  try {
    return (await inspectFile(path)).header.applicationId === APPLICATION_ID
  } catch (error) {
    if (error instanceof LcmError) return false
    throw error
  }
}

type Location = Pick<MemoryFile, 'path' | 'realPath'> & { readonly isEmpty: boolean }

function locationOf(path: string): Location {
  const stat = statOrNull(path)
  if (!stat) throw missing(path)
  if (stat.isDirectory()) throw folderError(path)
  if (!stat.isFile()) {
    throw new LcmError('not_a_database', `${path} is not a regular file: choose a memory file (often lcm.db).`, {
      path,
    })
  }
  try {
    return { path, realPath: realpathSync(path), isEmpty: stat.size === 0 }
  } catch (error) {
    throw fileError(error, path)
  }
}

function fileAt({ path, realPath }: Location, start: Buffer): MemoryFile {
  // The size is read after the header, so that a growing file is never smaller than its header says.
  const now = statSync(realPath)
  const file = { path, realPath, header: headerOf(path, start), ...sizesOf(realPath, now) }
  refuseTruncated(file)
  return file
}

/**
 * Inspects the same file again later, without reading it: its header is taken from the first inspection.
 * @returns null when another file has taken its place
 * @throws LcmError file_missing, file_not_readable
 */
export function lookAgain({ path, realPath, header, identity }: MemoryFile): MemoryFile | null {
  // The path may now lead to another file.
  const now = statOrNull(path)
  if (!now) throw missing(path)
  const file = { path, realPath, header, ...sizesOf(realPath, now) }
  return file.identity === identity ? file : null
}

function sizesOf(realPath: string, file: FileStats): Omit<MemoryFile, 'path' | 'realPath' | 'header'> {
  const walBytes = statOrNull(`${realPath}-wal`)?.size
  return {
    identity: `${file.dev}:${file.ino}`,
    bytes: file.size,
    modifiedAtMs: Math.round(file.mtimeMs),
    walBytes: walBytes ?? 0,
    hasWal: walBytes !== undefined,
    hasShm: statOrNull(`${realPath}-shm`) !== null,
    hasJournal: (statOrNull(`${realPath}-journal`)?.size ?? 0) > 0,
  }
}

function folderError(path: string): LcmError {
  const inside = join(path, 'lcm.db')
  const found = statOrNull(inside)?.isFile() ?? false
  const next = found ? `open ${inside} instead.` : 'choose the memory file in it (often lcm.db).'
  return new LcmError('file_is_folder', `${path} is a folder: ${next}`, found ? { path, suggestion: inside } : { path })
}

function headerOf(path: string, start: Buffer): FileHeader {
  if (start.length === 0) {
    throw new LcmError(
      'file_empty',
      `${path} is empty (0 bytes): it holds no memory. Choose another file, or delete it and start anew.`,
      { path },
    )
  }
  const header = parseHeader(start)
  if (header) return header
  if (isCutHeader(start)) {
    throw new LcmError('file_truncated', `${path} ends inside its header: copy it again from where it came.`, {
      path,
      bytes: start.length,
    })
  }
  const looksLikeJson = /^[\s\uFEFF]*[[{]/.test(start.toString('utf8'))
  const next = looksLikeJson
    ? `it looks like a transcript: import it with "lcm import ${path} --db FILE", or with Import in the window.`
    : 'choose a memory file (often lcm.db). If it is an encrypted database, decrypt a copy of it first.'
  throw new LcmError('not_a_database', `${path} is not an SQLite database: ${next}`, { path, looksLikeJson })
}

/**
 * After a crash during a checkpoint some pages are in the log only, so the size proves damage only when the log is
 * empty.
 */
function refuseTruncated(file: MemoryFile): void {
  const { pageSize, pageCount } = file.header
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) {
    throw new LcmError('file_corrupt', `${file.path} is damaged: its header names an impossible page size.`, {
      path: file.path,
      pageSize,
    })
  }
  if (file.walBytes > 0 || file.hasJournal) return
  const expected = pageCount === null ? null : pageCount * pageSize
  if (expected === null ? file.bytes % pageSize === 0 : file.bytes >= expected) return
  const of = expected === null ? 'it does not end at the end of a page' : `${file.bytes} of ${expected} bytes are there`
  throw new LcmError(
    'file_truncated',
    `${file.path} was cut off (${of}): copy it again from where it came, together with its -wal file if there is one.`,
    { path: file.path, bytes: file.bytes, expectedBytes: expected },
  )
}
