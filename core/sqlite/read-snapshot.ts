import type { ReadDb } from './read-db.ts'

const queries = {
  // Any row of the file itself: its statement keeps the read transaction open until it is reset.
  hold: /* sql */ `SELECT rootpage FROM main.sqlite_schema`,
}

/**
 * Runs `body` on one state of the file: whatever another process commits meanwhile is not seen, so that answers made
 * of several queries never mix before and after. Keep it short, and never await inside: a long reader keeps the
 * write-ahead log from shrinking. May be nested. https://www.sqlite.org/isolation.html
 */
export function readSnapshot<T>(db: ReadDb, body: () => T): T {
  const held = db.iterate(queries.hold)
  try {
    held.next()
    return body()
  } finally {
    held.return?.()
  }
}
