import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { z } from 'zod'
import { isMissingFile, LcmError } from '../errors.ts'
import { fileError } from '../sqlite/memory-file.ts'

/** A change takes a few milliseconds, so whoever waits this long meets a program that hangs. */
const LOCK_WAIT_MS = 5000

type Options<T> = {
  readonly path: string
  readonly schema: z.ZodType<T>
  /** What is in the file, for people. It completes "the file is not …". */
  readonly content: string
  /** What a missing file stands for. */
  readonly empty: T
}

/**
 * A small JSON file of the user that all processes of the user share. Each access reads it anew. A file that is damaged
 * is reported and never replaced.
 */
export class UserFile<T> {
  readonly #options: Options<T>

  constructor(options: Options<T>) {
    this.#options = options
  }

  /** @throws LcmError invalid_argument when the file is damaged; file_not_readable */
  read(): T {
    const { path, schema, content, empty } = this.#options
    const text = readText(path)
    if (text === null) return empty
    const stored = schema.safeParse(jsonOrUndefined(text))
    if (stored.success) return stored.data
    const message = `${path} is not ${content}: correct it, or move it away and begin anew.`
    throw new LcmError('invalid_argument', message, { path })
  }

  /**
   * Replaces the content by what `change` makes of it. Meanwhile no other process changes the file.
   * @returns the new content
   * @throws LcmError as `read`, locked, disk_full, read_only_file, and what `change` throws
   */
  change(change: (before: T) => T): Promise<T> {
    const { path } = this.#options
    return changeAlone(dirname(path), () => {
      const after = change(this.read())
      writeWhole(path, `${JSON.stringify(after, null, 2)}\n`)
      return after
    })
  }
}

/**
 * Runs the work while no other process runs work with the same folder. The lock ends with the process that holds it.
 * @throws LcmError locked, file_not_readable, disk_full, read_only_file, and what the work throws
 */
export async function changeAlone<T>(folder: string, work: () => T, waitMs = LOCK_WAIT_MS): Promise<T> {
  // Only a change needs the driver of SQLite, and most programs change nothing.
  const { lockFolder } = await import('./lock-folder.ts')
  const release = await lockFolder(folder, waitMs)
  try {
    return work()
  } finally {
    release()
  }
}

/** Returns null for a missing file. @throws LcmError file_not_readable */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    if (isMissingFile(error)) return null
    throw fileError(error, path)
  }
}

/**
 * Writes a private file atomically: a reader sees the old or the new one, and so does the next start after a crash.
 * @throws LcmError file_not_readable, disk_full
 */
export function writeWhole(path: string, text: string | Uint8Array): void {
  let next: string | null = null
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const target = realPath(path)
    next = `${target}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
    const file = openSync(next, 'wx', 0o600)
    try {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text
      for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(next, target)
  } catch (error) {
    if (next !== null) rmSync(next, { force: true })
    throw fileError(error, path)
  }
}

/** Follows a file that is a symbolic link, so that it stays one. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // The file does not exist yet.
    return path
  }
}

/** The parser's error quotes the file, which may contain a secret, so it is dropped. */
function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
