import { accessSync, constants, statSync } from 'node:fs'
import type { FileInfo } from '#core/contract/lineage.ts'
import { findStoredFile } from '#core/files/stored-file.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

/** A large file that is searched. */
export type SearchedFile = {
  readonly info: FileInfo
  /** The real path of its content, or null when it cannot be read. */
  readonly path: string | null
  readonly bytes: number
}

/** @param filesDir the folder of large files that is configured, or null */
export function searchedFile(db: ReadDb, filesDir: string | null, info: FileInfo): SearchedFile {
  const { conversationId, storageUri } = info
  const allowed = filesDir === null ? [] : [filesDir]
  const path = storageUri ? findStoredFile({ database: db.path, conversationId, storageUri, allowed }) : null
  const bytes = path === null ? null : readableBytes(path)
  return bytes === null ? { info, path: null, bytes: 0 } : { info, path, bytes }
}

function readableBytes(path: string): number | null {
  try {
    accessSync(path, constants.R_OK)
    return statSync(path).size
  } catch {
    // The search goes on without it, and says so.
    return null
  }
}
