import type { ReadDb } from '#core/sqlite/read-db.ts'

/** What was read in no more than this time is checked whenever the file changed. */
const SHORT_MS = 5
/** What takes longer is checked in at most a fiftieth of the time, and after a minute at the latest. */
const INTERVAL_SHARE = 50
const SHORTEST_INTERVAL_MS = 5000
const LONGEST_INTERVAL_MS = 60_000

/**
 * Returns when something that was read of a file has to be checked against it again, on the clock of `performance.now`.
 * Until then the number of rows has to show that none came or went. Only rows that another program changed in their place
 * are noticed late.
 * @param startedMs when the reading began
 */
export function nextRecheckMs(db: ReadDb, startedMs: number): number {
  const nowMs = performance.now()
  const tookMs = nowMs - startedMs
  if (tookMs <= SHORT_MS) return 0
  const intervalMs = Math.min(LONGEST_INTERVAL_MS, Math.max(SHORTEST_INTERVAL_MS, INTERVAL_SHARE * tookMs))
  return noted(db, nowMs + intervalMs)
}

type Rechecks = {
  /** The commit up to which the file is known. */
  version: number
  /** The latest moment that `nextRecheckMs` returned. */
  latestMs: number
  /** When what was kept over a commit has to be checked; null when nothing was. */
  dueMs: number | null
  count: number
}

const rechecks = new WeakMap<ReadDb, Rechecks>()

function noted(db: ReadDb, atMs: number): number {
  const known = rechecks.get(db)
  if (known) known.latestMs = Math.max(known.latestMs, atMs)
  else rechecks.set(db, { version: db.dataVersion(), latestMs: atMs, dueMs: null, count: 0 })
  return atMs
}

/**
 * Counts how often a check became due after a commit of another program. The commit may have changed rows in their place,
 * so what was kept over it is checked then, although nothing was written since.
 */
export function recheckCount(db: ReadDb, version: number): number {
  const known = rechecks.get(db)
  if (known === undefined) return 0
  const nowMs = performance.now()
  if (known.version !== version && nowMs < known.latestMs) known.dueMs = known.latestMs
  known.version = version
  if (known.dueMs !== null && nowMs >= known.dueMs) {
    known.dueMs = null
    known.count += 1
  }
  return known.count
}
