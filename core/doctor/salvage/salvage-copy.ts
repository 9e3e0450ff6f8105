import { existsSync, rmSync, statSync, truncateSync } from 'node:fs'
import { isNoRoomError, LcmError } from '#core/errors.ts'
import { copyFileUnderLocks } from '#core/sqlite/copy-file.ts'
import { parseHeader, readStart } from '#core/sqlite/file-header.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import { APPLICATION_ID } from '#core/sqlite/schema.ts'

/** All native files have this page size. */
const OWN_PAGE_BYTES = 4096

/** A private copy that is read. */
export type SourceCopy = {
  readonly path: string
  readonly pageSize: number
  /** False when the first page is lost, which tells how to read the file and to which system it belongs. */
  readonly hasHeader: boolean
  /** True when it is a native file, or may be one. */
  readonly isOurs: boolean
  /** Bytes that the file should have and lacks. The copy has zeros in their place. */
  readonly missingBytes: number
  /** The first page that is missing at the end, completely or in part. */
  readonly missingFrom: number
  remove(): void
}

/**
 * Copies a damaged file with its log, and gives the copy the length that its header promises. SQLite refuses to read a
 * shorter file. The original is only read.
 * @throws LcmError file_missing, file_not_readable, disk_full; not_a_database when it is too short for one
 */
export async function copySource(from: string, to: string): Promise<SourceCopy> {
  const remove = (): void => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${to}${suffix}`, { force: true })
  }
  remove()
  try {
    const header = parseHeader(await readStart(from))
    const stated = header?.pageSize ?? 0
    const hasHeader = header !== null && stated >= 512 && (stated & (stated - 1)) === 0
    const pageSize = hasHeader ? stated : OWN_PAGE_BYTES
    if (!hasHeader && statSync(from).size < 2 * pageSize) throw noHeaderError(from)
    await copyFileUnderLocks(from, to)
    for (const suffix of ['-wal', '-journal']) {
      const part = `${from}${suffix}`
      if (existsSync(part)) await copyFileUnderLocks(part, `${to}${suffix}`)
    }
    const bytes = statSync(to).size
    const promised = Math.max((header?.pageCount ?? 0) * pageSize, Math.ceil(bytes / pageSize) * pageSize)
    if (promised > bytes) truncateSync(to, promised)
    return {
      path: to,
      pageSize,
      hasHeader,
      isOurs: !hasHeader || header.applicationId === APPLICATION_ID,
      missingBytes: promised - bytes,
      missingFrom: Math.floor(bytes / pageSize) + 1,
      remove,
    }
  } catch (error) {
    remove()
    throw error instanceof LcmError ? error : fileError(error, isNoRoomError(error) ? to : from)
  }
}

export const noHeaderError = (path: string): LcmError =>
  new LcmError(
    'not_a_database',
    `${path} has no header that says how to read it, and no page of it is one of ours: nothing can be salvaged from it here.`,
    { path },
  )
