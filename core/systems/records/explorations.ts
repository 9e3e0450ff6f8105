import { FileExploration } from '#core/contract/file.ts'
import type { ReadDb, SqlValue, WriteDb } from '#core/sqlite/read-db.ts'

const queries = {
  byModel: /* sql */ 'SELECT value FROM lcm_meta WHERE key = :key',
  store: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
}

/**
 * What models have said of large files stands apart from `large_files`: messages repeat the summary there word for word,
 * by which an import recognises them.
 */
const keyOf = (fileId: string): string => `exploration:${fileId}`

/** Returns what a model has said of a file, or null. */
export function modelExploration(db: ReadDb, fileId: string): FileExploration | null {
  const value = db.value<SqlValue>(queries.byModel, { key: keyOf(fileId) })
  if (typeof value !== 'string') return null
  try {
    return FileExploration.safeParse(JSON.parse(value)).data ?? null
  } catch {
    // Another program has changed it. What was found without a model is shown.
    return null
  }
}

export const storeModelExploration = (db: WriteDb, fileId: string, exploration: FileExploration): number =>
  db.run(queries.store, { key: keyOf(fileId), value: JSON.stringify(exploration) })
