import { readFileSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { fileStamp, isSettled } from './file-stamp.ts'
import { fileError, type MemoryFile } from './memory-file.ts'
import { wrapConnection } from './read-db.ts'
import { translating } from './sqlite-error.ts'
import type { ReadOnlyConnection } from './uri-db.ts'

/**
 * Reads a small file at rest into memory, where nobody can change it under us.
 * @returns null when the file changed while it was read: then somebody writes to it after all
 * @throws LcmError file_not_readable
 */
export function connectImage(file: MemoryFile): ReadOnlyConnection | null {
  const image = readImage(file)
  if (image === null) return null
  // The image has no log beside it; a header that asks for one would make SQLite look for it.
  image[18] = 1
  image[19] = 1
  const db = translating(file.path, () => wrapConnection(new Database(image), file.path))
  return { db, access: 'memory_image', close: () => db.close() }
}

function readImage({ path, realPath, bytes }: MemoryFile): Buffer | null {
  try {
    const before = fileStamp(realPath)
    const isToldByStamp = isSettled(realPath)
    const image = readFileSync(realPath)
    // Whoever writes to the file has something in one of them meanwhile.
    const isWritten = ['-wal', '-journal'].some(
      (suffix) => statSync(`${realPath}${suffix}`, { throwIfNoEntry: false })?.size,
    )
    if (isWritten || image.length !== bytes) return null
    // So soon after a write another one may leave the same time: then the bytes themselves have to be the same again.
    const isSame = isToldByStamp || image.equals(readFileSync(realPath))
    return isSame && fileStamp(realPath) === before ? image : null
  } catch (error) {
    throw fileError(error, path)
  }
}
