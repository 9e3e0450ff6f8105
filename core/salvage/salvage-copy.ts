import { copyFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs'
import { parseHeader, readStart } from '../db/file-header.ts'
import { fileError } from '../db/memory-file.ts'
import { LcmError } from '../errors.ts'

/** A private copy to read from. */
export type SourceCopy = {
  readonly path: string
  /** Bytes that the file should have and has not; zeros stand for them in the copy. */
  readonly missingBytes: number
  remove(): void
}

/**
 * Copies a damaged file with its log, and gives the copy the length that its header promises, without which SQLite
 * refuses to read any of it. The original is only read.
 * @throws LcmError file_missing, file_not_readable, disk_full; not_a_database when there is no header to go by
 */
export function copySource(from: string, to: string): SourceCopy {
  const remove = (): void => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${to}${suffix}`, { force: true })
  }
  remove()
  try {
    const header = parseHeader(readStart(from))
    const pageSize = header?.pageSize ?? 0
    if (!header || pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) {
      throw new LcmError(
        'not_a_database',
        `${from} has no header that says how to read it: nothing can be salvaged from it here.`,
        { path: from },
      )
    }
    copyFileSync(from, to)
    for (const suffix of ['-wal', '-journal']) {
      if (existsSync(`${from}${suffix}`)) copyFileSync(`${from}${suffix}`, `${to}${suffix}`)
    }
    const bytes = statSync(to).size
    const promised = Math.max((header.pageCount ?? 0) * pageSize, Math.ceil(bytes / pageSize) * pageSize)
    if (promised > bytes) truncateSync(to, promised)
    return { path: to, missingBytes: promised - bytes, remove }
  } catch (error) {
    remove()
    throw error instanceof LcmError ? error : fileError(error, from)
  }
}
