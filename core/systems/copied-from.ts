import { CopiedFrom, type MemoryInfo } from '../contract/memory.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { knownSystem } from './systems.ts'

const KEY = 'copied_from'
const BASELINE_KEY = 'copied_ways'
const DIFFERENCES_KEY = 'copied_findings'
type Key = typeof KEY | typeof BASELINE_KEY | typeof DIFFERENCES_KEY

const queries = {
  store: (key: Key) => /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES ('${key}', :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  read: (key: Key) => /* sql */ `SELECT value FROM lcm_meta WHERE key = '${key}'`,
}

/** Writes into a working copy of what it is one. Of a copy's copy: of the copy. */
export function storeOrigin(db: WriteDb, { system, systemLabel, fileName }: MemoryInfo): void {
  const origin: CopiedFrom = { system, systemLabel, fileName }
  db.run(queries.store(KEY), { value: JSON.stringify(origin) })
}

/** Of what a native file is the working copy; null where it is none, or does not say so legibly. */
export function readOrigin(db: ReadDb): CopiedFrom | null {
  try {
    const origin = CopiedFrom.safeParse(parsed(db.value(queries.read(KEY)))).data
    return origin && knownSystem(origin.system) ? origin : null
  } catch {
    // A file whose own notes are damaged is opened all the same.
    return null
  }
}

/** The findings that a working copy inherited: read by core/doctor. */
export function storeBaseline(db: WriteDb, baseline: string): void {
  db.run(queries.store(BASELINE_KEY), { value: baseline })
}

/** As it is stored; null where there is none. */
export const readBaseline = (db: ReadDb): unknown => read(db, BASELINE_KEY)

/** The checks that have another result in a working copy than in its original: read by core/doctor. */
export function storeCopyDifferences(db: WriteDb, differences: string): void {
  db.run(queries.store(DIFFERENCES_KEY), { value: differences })
}

/** As it is stored; null where there is none. */
export const readCopyDifferences = (db: ReadDb): unknown => read(db, DIFFERENCES_KEY)

function read(db: ReadDb, key: Key): unknown {
  try {
    return parsed(db.value(queries.read(key)))
  } catch {
    return null
  }
}

const parsed = (stored: unknown): unknown => (typeof stored === 'string' ? JSON.parse(stored) : null)
