import { readFileSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { fileStamp, isSettled } from './file-stamp.ts'
import { fileError, type MemoryFile } from './memory-file.ts'
import { wrapConnection } from './read-db.ts'
import { translating } from './sqlite-error.ts'
import type { ReadOnlyConnection } from './uri-db.ts'

/**
 * Reads a small file without a writer into memory, so that it cannot change while it is used.
 * @returns null when the file changed while it was read, because it then has a writer
 * @throws LcmError file_not_readable
 */
export function connectImage(file: MemoryFile): ReadOnlyConnection | null {
  const image = readImage(file)
  if (image === null) return null
  // The image has no log. If its header asked for one, SQLite would look for it.
  image[18] = 1
  image[19] = 1
  const db = translating(file.path, () => wrapConnection(new Database(image), file.path))
  return { db, access: 'memory_image', close: () => db.close() }
}

function readImage({ path, realPath, bytes }: MemoryFile): Buffer | null {
  try {
    const before = fileStamp(realPath)
    const isStampReliable = isSettled(realPath)
    const image = readFileSync(realPath)
    // A writer at work has data in one of these files.
    const isWritten = ['-wal', '-journal'].some(
      (suffix) => statSync(`${realPath}${suffix}`, { throwIfNoEntry: false })?.size,
    )
    if (isWritten || image.length !== bytes) return null
    // Another write so soon after the last one may leave the same modification time, so the bytes are compared.
    const isSame = isStampReliable || image.equals(readFileSync(realPath))
    return isSame && fileStamp(realPath) === before ? image : null
  } catch (error) {
    throw fileError(error, path)
  }
}
