import { CopiedFrom, type MemoryInfo } from '#core/contract/memory.ts'
import { parsedJson } from '#core/parsed-json.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { metaValue, storeMetaValue } from '../records/meta-values.ts'
import { knownSystem } from '../systems.ts'

const KEY = 'copied_from'
const BASELINE_KEY = 'copied_ways'
const DIFFERENCES_KEY = 'copied_findings'

/** Notes in a working copy the file that it was made of. */
export function storeOrigin(db: WriteDb, { system, systemLabel, fileName }: MemoryInfo): void {
  const origin: CopiedFrom = { system, systemLabel, fileName }
  storeMetaValue(db, KEY, JSON.stringify(origin))
}

/** The file of which a native file is the working copy; null for any other file, and where the note is illegible. */
export function readOrigin(db: ReadDb): CopiedFrom | null {
  const origin = CopiedFrom.safeParse(read(db, KEY)).data
  return origin && knownSystem(origin.system) ? origin : null
}

/** Stores the findings that a working copy inherited, which core/doctor reads. */
export const storeBaseline = (db: WriteDb, baseline: string): void => storeMetaValue(db, BASELINE_KEY, baseline)

/** The stored baseline; null where there is none. */
export const readBaseline = (db: ReadDb): unknown => read(db, BASELINE_KEY)

/** Stores which checks have another result in a working copy than in its original. core/doctor reads that. */
export const storeCopyDifferences = (db: WriteDb, differences: string): void =>
  storeMetaValue(db, DIFFERENCES_KEY, differences)

/** The stored differences; null where there are none. */
export const readCopyDifferences = (db: ReadDb): unknown => read(db, DIFFERENCES_KEY)

function read(db: ReadDb, key: string): unknown {
  try {
    return parsedJson(metaValue(db, key) ?? '') ?? null
  } catch {
    // A file whose own notes are damaged is opened all the same.
    return null
  }
}
