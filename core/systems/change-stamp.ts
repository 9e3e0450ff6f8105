import type { ReadDb } from '../sqlite/read-db.ts'
import { looksAgain } from './rest.ts'

/**
 * Differs after every commit, by another connection or by this one, and when rows are due that were not looked at after a
 * commit (`looksAgain`). Costs microseconds, and opens nothing.
 */
export function changeStamp(db: ReadDb): string {
  const version = db.dataVersion()
  return `${version}:${db.ownChanges()}:${looksAgain(db, version)}`
}
