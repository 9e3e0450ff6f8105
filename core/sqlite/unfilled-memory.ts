import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { removeUnusedDb } from './cache-db.ts'

const queries = {
  hasConversation: /* sql */ `SELECT EXISTS (SELECT 1 FROM conversations)`,
}

/**
 * Runs `body`, which makes a memory at `path` where none is. If it fails before a conversation is stored, no empty
 * memory is left behind. A file that was there before stays.
 */
export async function withoutUnfilled<T>(path: string, body: () => Promise<T>): Promise<T> {
  const isNew = !existsSync(path)
  try {
    return await body()
  } catch (error) {
    if (isNew && isUnfilled(path)) removeUnusedDb(path)
    throw error
  }
}

function isUnfilled(path: string): boolean {
  try {
    const connection = new Database(path, { fileMustExist: true })
    try {
      return connection.prepare(queries.hasConversation).pluck().get() === 0
    } finally {
      connection.close()
    }
  } catch {
    // Whatever is there is no new memory, or none was made: the error of the import says what went wrong.
    return false
  }
}
