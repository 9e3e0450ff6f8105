import { CopiedFrom, type MemoryInfo } from '../contract/memory.ts'
import type { ReadDb, WriteDb } from './read-db.ts'

const KEY = 'copied_from'

const queries = {
  store: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES ('${KEY}', :origin) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  read: /* sql */ `SELECT value FROM lcm_meta WHERE key = '${KEY}'`,
}

/** Writes into a working copy of what it is one. Of a copy's copy: of the copy. */
export function storeOrigin(db: WriteDb, { system, systemLabel, fileName }: MemoryInfo): void {
  const origin: CopiedFrom = { system, systemLabel, fileName }
  db.run(queries.store, { origin: JSON.stringify(origin) })
}

/** Of what a native file is the working copy; null where it is none, or does not say so legibly. */
export function readOrigin(db: ReadDb): CopiedFrom | null {
  try {
    const stored = db.value(queries.read)
    return typeof stored === 'string' ? (CopiedFrom.safeParse(JSON.parse(stored)).data ?? null) : null
  } catch {
    // A file whose own notes are damaged is opened all the same.
    return null
  }
}
