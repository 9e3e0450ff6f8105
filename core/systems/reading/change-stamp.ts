import type { ReadDb } from '#core/sqlite/read-db.ts'
import { recheckCount } from './recheck-time.ts'

/**
 * Returns a text that differs after every commit, by another connection or by this one, and when rows have to be checked
 * that were not checked after a commit (`recheckCount`). Costs microseconds, and opens nothing.
 */
export function changeStamp(db: ReadDb): string {
  const version = db.dataVersion()
  return `${version}:${db.ownChanges()}:${recheckCount(db, version)}`
}
