import { LcmError } from '../errors.ts'
import type { ReadDb } from './read-db.ts'

/**
 * Returns the key after which the next page of a table begins. A key that is a text, or too large for exact integers,
 * is not above the one before. Reading on after it would return the same rows forever, so it is an error.
 * @throws LcmError file_corrupt
 */
export function nextKey(db: Pick<ReadDb, 'path'>, what: string, before: number, last: unknown): number {
  if (typeof last === 'number' && last > before) return last
  if (typeof last === 'number' && last > Number.MAX_SAFE_INTEGER) {
    throw new LcmError(
      'file_corrupt',
      `${db.path} cannot be read to its end: ${what} go beyond ${Number.MAX_SAFE_INTEGER.toLocaleString('en')}, the largest that is read exactly. Nothing is damaged: give these rows smaller numbers in a copy of the file, and open the copy.`,
      { path: db.path },
    )
  }
  throw notAscending(db, what, before)
}

/**
 * Does the same for keys that are texts. One that is no UTF-8 is read as another text, which may sort before it.
 * @throws LcmError file_corrupt
 */
export function nextTextKey(db: Pick<ReadDb, 'path'>, what: string, before: string, last: unknown): string {
  if (typeof last === 'string' && Buffer.compare(Buffer.from(last), Buffer.from(before)) > 0) return last
  throw notAscending(db, what, JSON.stringify(before))
}

const notAscending = ({ path }: Pick<ReadDb, 'path'>, what: string, before: unknown): LcmError =>
  new LcmError(
    'file_corrupt',
    `${path} is damaged: ${what} do not ascend after ${before}. Restore it from a backup, or save what can still be read with "lcm salvage".`,
    { path },
  )
