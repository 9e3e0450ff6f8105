import { LcmError } from '../errors.ts'
import type { ReadDb } from './read-db.ts'

/**
 * The key behind which the next stretch of a table begins. Whoever reads on behind a key that a file gave reads the same
 * rows for ever when that key is not above the one before: it is a text, or so large that its last digits are lost.
 * @throws LcmError file_corrupt
 */
export function nextKey(db: Pick<ReadDb, 'path'>, what: string, before: number, last: unknown): number {
  if (typeof last === 'number' && last > before) return last
  throw new LcmError(
    'file_corrupt',
    `${db.path} is damaged: ${what} do not ascend after ${before}. Restore it from a backup, or save what can still be read with "lcm salvage".`,
    { path: db.path },
  )
}
