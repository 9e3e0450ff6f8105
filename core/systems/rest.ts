import type { ReadDb } from '../sqlite/read-db.ts'

/** What takes no longer than this is looked at again whenever the file changed. */
const SHORT_MS = 5
const LONG_MS = 5000
/** What takes long is looked at again in at most a fiftieth of the time, and after a minute at the latest. */
const PAUSE_SHARE = 50
const LONGEST_MS = 60_000

/**
 * Until when what was read of a file need not be looked at again, on the clock of `performance.now`. Meanwhile the number
 * of rows has to prove that nothing came or went: only what another program changed in its place is noticed late.
 * @param startedMs when the reading began
 */
export function restUntil(db: ReadDb, startedMs: number): number {
  const nowMs = performance.now()
  const tookMs = nowMs - startedMs
  if (tookMs <= SHORT_MS) return 0
  return noted(db, nowMs + Math.min(LONGEST_MS, Math.max(LONG_MS, PAUSE_SHARE * tookMs)))
}

type Rests = {
  /** The commit up to which the file is known. */
  version: number
  /** When the last of all rests ends. */
  untilMs: number
  /** When what was kept over a commit is looked at again; null when nothing was. */
  dueMs: number | null
  looksAgain: number
}

const rests = new WeakMap<ReadDb, Rests>()

function noted(db: ReadDb, untilMs: number): number {
  const known = rests.get(db)
  if (known) known.untilMs = Math.max(known.untilMs, untilMs)
  else rests.set(db, { version: db.dataVersion(), untilMs, dueMs: null, looksAgain: 0 })
  return untilMs
}

/**
 * Counts how often a rest ended during which another program committed. The commit may have changed rows in their place,
 * so what was kept over it is looked at again then, although nothing was written since.
 */
export function looksAgain(db: ReadDb, version: number): number {
  const known = rests.get(db)
  if (known === undefined) return 0
  const nowMs = performance.now()
  if (known.version !== version && nowMs < known.untilMs) known.dueMs = known.untilMs
  known.version = version
  if (known.dueMs !== null && nowMs >= known.dueMs) {
    known.dueMs = null
    known.looksAgain += 1
  }
  return known.looksAgain
}
