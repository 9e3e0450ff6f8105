import { PulledFrom } from '../contract/memory.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'

const KEY = 'pulled_from'

const queries = {
  isThere: /* sql */ `SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'pulled_rows'`,
  read: /* sql */ `SELECT value FROM lcm_meta WHERE key = '${KEY}'`,
  store: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES ('${KEY}', :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
}

export function storePulledFrom(db: WriteDb, origin: PulledFrom): void {
  db.run(queries.store, { value: JSON.stringify(origin) })
}

/** Returns from where a file was pulled; null for any other file, and for one that does not say so legibly. */
export function readPulledFrom(db: ReadDb): PulledFrom | null {
  try {
    const stored = db.value<string>(queries.read)
    if (typeof stored !== 'string' || db.value(queries.isThere) === undefined) return null
    return PulledFrom.safeParse(JSON.parse(stored)).data ?? null
  } catch {
    // The note may have been written by anyone, and a file whose own notes are damaged is opened all the same.
    return null
  }
}
