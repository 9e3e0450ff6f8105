import { LcmError } from '../errors.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { CANONICAL } from './canonical.ts'

/** What SQLite says of a statement that names what is not there. */
const MISSING = /no such (column|table): (?:main\.|temp\.)?(?:\w{1,3}\.)?([\w$]+)/

/**
 * Runs what is written against the tables of a known system. Where they are not as that system makes them, its people
 * are told so; SQLite itself speaks of our statements.
 * @throws LcmError file_corrupt in place of sqlite_failed
 */
export function asDamage<T>(path: string, label: string, body: () => T): T {
  try {
    return body()
  } catch (error) {
    if (!(error instanceof LcmError) || error.code !== 'sqlite_failed') throw error
    throw damaged(path, label, error)
  }
}

function damaged(path: string, label: string, error: LcmError): LcmError {
  const [, kind, name] = MISSING.exec(error.message) ?? []
  const what =
    kind === undefined
      ? `its rows are not as ${label} writes them`
      : `it has lost the ${kind} ${name}, without which a memory of ${label} cannot be read`
  const details = { path, ...(name === undefined ? {} : { lost: [name] }) }
  return new LcmError('file_corrupt', `${path} is damaged: ${what}. Restore it from a backup.`, details, {
    cause: error,
  })
}

/**
 * Makes sure that everything can be asked for before anybody does.
 * @throws LcmError file_corrupt
 */
export function requireViews(db: ReadDb, path: string, label: string): void {
  asDamage(path, label, () => {
    for (const name of Object.keys(CANONICAL)) db.all(/* sql */ `SELECT * FROM ${name} LIMIT 0`)
  })
}
