import type { ReadDb } from './read-db.ts'

const queries = {
  // Selects any row of the file itself. The statement keeps the read transaction open until it is reset.
  hold: /* sql */ `SELECT rootpage FROM main.sqlite_schema`,
}

/** Connections inside `readSnapshot`. A nested call needs no query of its own. */
const holding = new WeakSet<ReadDb>()

/**
 * Runs `body` on one state of the file. Commits of other processes stay invisible meanwhile, so that an answer from
 * several queries is consistent. Keep it short and never await inside, because a long reader keeps the write-ahead log
 * from shrinking. Calls may be nested. https://www.sqlite.org/isolation.html
 */
export function readSnapshot<T>(db: ReadDb, body: () => T): T {
  if (holding.has(db)) return body()
  const held = db.iterate(queries.hold)
  try {
    held.next()
    holding.add(db)
    return body()
  } finally {
    holding.delete(db)
    held.return?.()
  }
}
