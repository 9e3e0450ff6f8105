import type { ReadDb } from '../db/read-db.ts'

const queries = {
  ownChanges: /* sql */ `SELECT total_changes()`,
}

/** Differs after every commit, by another connection or by this one. Costs microseconds. */
export function changeStamp(db: ReadDb): string {
  return `${db.dataVersion()}:${db.value<number>(queries.ownChanges) ?? 0}`
}
