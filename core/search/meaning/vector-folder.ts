import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '#core/hashing.ts'
import { holdLock, removeUnusedDb } from '#core/sqlite/cache-db.ts'
import { RECIPE } from './recipe.ts'

/** The size limit of all vectors together: 200,000 pieces with 1,024 numbers each take 0.9 GB. */
export const VECTORS_LIMIT_BYTES = 4 * 1024 ** 3

const KEY_LENGTH = 24
const FILE = /^[0-9a-f]{24}-\d{1,4}\.vectors$/

export const vectorFolder = (cacheDir: string): string => join(cacheDir, 'search-vectors')

const keyOf = (model: string): string => sha256(`${RECIPE}\n${model}`).slice(0, KEY_LENGTH)

/** Vectors of another model, of another length or of texts that were cut in another way are never compared. */
export const vectorPath = (folder: string, model: string, dimensions: number): string =>
  join(folder, `${keyOf(model)}-${dimensions}.vectors`)

type VectorsOnDisk = { readonly path: string; readonly bytes: number; readonly usedAtMs: number }

/** Returns the files of vectors, the last used first. */
function filesIn(folder: string): VectorsOnDisk[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    // The folder does not exist yet or cannot be read.
    return []
  }
  return names
    .filter((name) => FILE.test(name))
    .flatMap((name): VectorsOnDisk[] => {
      const path = join(folder, name)
      const file = statSync(path, { throwIfNoEntry: false })
      const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
      return file ? [{ path, bytes: file.size + (log?.size ?? 0), usedAtMs: file.mtimeMs }] : []
    })
    .sort((a, b) => b.usedAtMs - a.usedAtMs)
}

/** Returns the vectors of a model that were written last, or null when there are none. */
export function lastVectorsOf(folder: string, model: string): string | null {
  const key = keyOf(model)
  return filesIn(folder).find(({ path }) => path.startsWith(join(folder, `${key}-`)))?.path ?? null
}

/**
 * Removes the vectors of other models that were not used for longest, until all fit. What a process has open stays.
 * @param keep the file of which vectors are being made
 */
export function tidyVectors(folder: string, keep: string, limitBytes: number): void {
  const all = filesIn(folder)
  let bytes = all.reduce((sum, file) => sum + file.bytes, 0)
  for (const file of all.toReversed()) {
    if (bytes <= limitBytes) return
    if (file.path !== keep && removeUnusedDb(file.path)) bytes -= file.bytes
  }
}

/** One process at a time makes vectors. Returns null while another one does. */
export const lockVectors = (folder: string): (() => void) | null => holdLock(join(folder, 'lock'))
