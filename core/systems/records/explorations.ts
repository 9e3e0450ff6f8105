import { FileExploration } from '#core/contract/file.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { metaValue, parsedValue, storeMetaValue } from './meta-values.ts'

/**
 * What models have said of large files stands apart from `large_files`: messages repeat the summary there word for word,
 * by which an import recognises them.
 */
const keyOf = (fileId: string): string => `exploration:${fileId}`

/** Returns what a model has said of a file, or null where none has, or another program has changed it. */
export const modelExploration = (db: ReadDb, fileId: string): FileExploration | null =>
  parsedValue(FileExploration, metaValue(db, keyOf(fileId)))

export const storeModelExploration = (db: WriteDb, fileId: string, exploration: FileExploration): void =>
  storeMetaValue(db, keyOf(fileId), JSON.stringify(exploration))
