import type { ReadDb } from '../sqlite/read-db.ts'

/** Differs after every commit, by another connection or by this one. Costs microseconds, and opens nothing. */
export function changeStamp(db: ReadDb): string {
  return `${db.dataVersion()}:${db.ownChanges()}`
}
