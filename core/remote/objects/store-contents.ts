import { statSync } from 'node:fs'
import { findStoredFile } from '#core/files/stored-file.ts'
import { filePieces } from '#core/files/stored-path.ts'
import { isHash, startSha256 } from '#core/hashing.ts'
import type { StoredRow } from '#core/remote/postgres/tables.ts'
import { yieldToOthers } from '#core/yielding.ts'
import type { Objects } from './configured.ts'

const CANCELLED = 'Storing large files was cancelled; nothing refers to those that were stored.'

/**
 * Stores the contents of large files before the rows that name them are written. What is not here, or not what its row
 * says, cannot be stored; such a row is damaged already.
 * @param database the memory beside which the files lie
 * @returns ids of files whose content is not stored
 */
export async function storeContents(
  { store, filesDirs }: Objects,
  { database, conversationId, rows }: { database: string; conversationId: number; rows: readonly StoredRow[] },
  signal: AbortSignal,
): Promise<string[]> {
  const without: string[] = []
  for (const row of rows) {
    const hash = typeof row.content_hash === 'string' ? row.content_hash : null
    const storageUri = String(row.storage_uri ?? '')
    const path = findStoredFile({ database, conversationId, storageUri, allowed: filesDirs })
    // Content that was never copied here is there all the same.
    if (path === null && isHash(hash) && (await store.stat(hash))?.bytes === row.byte_size) continue
    if (path === null || !isHash(hash) || (await hashOf(path, signal)) !== hash) {
      without.push(String(row.file_id))
      continue
    }
    await store.put({ hash, bytes: statSync(path).size, open: () => filePieces(path) }, signal)
  }
  return without
}

async function hashOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = startSha256()
  for (const piece of filePieces(path)) {
    hash.update(piece)
    await yieldToOthers(signal, CANCELLED)
  }
  return hash.digest('hex')
}
