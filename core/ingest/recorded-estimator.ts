import type { MemoryInfo } from '../contract/memory.ts'
import { LcmError } from '../errors.ts'
import {
  createTokenEstimator,
  recordedEstimator,
  type TokenEstimator,
  type TokenEstimatorName,
} from '../models/token-estimator.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { isNative } from '../systems/native/native.ts'

const queries = {
  read: /* sql */ `SELECT value FROM lcm_meta WHERE key = 'token_estimator'`,
  record: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES ('token_estimator', :name) ON CONFLICT (key) DO NOTHING`,
}

/** What the counts of a native memory were made by, as it says itself; undefined where it does not. */
export function readRecordedEstimator(db: ReadDb): unknown {
  try {
    return db.value(queries.read)
  } catch (error) {
    // A file whose own notes are damaged is opened all the same.
    if (error instanceof LcmError) return undefined
    throw error
  }
}

/** The first record stands: a memory is counted in one way from its first message to its last. */
export function recordEstimator(db: WriteDb, name: string): void {
  db.run(queries.record, { name })
}

/**
 * What counts in this memory: in a native one whatever counted before, so that its numbers can be compared; a working
 * copy has those of its system, which count about as the first heuristic did.
 */
export function estimatorOf(db: ReadDb, info: MemoryInfo, configured: TokenEstimatorName): TokenEstimator {
  const recorded = isNative(info) ? readRecordedEstimator(db) : undefined
  const inherited = recorded === undefined && info.copiedFrom ? 'heuristic' : recorded
  return recordedEstimator(inherited) ?? createTokenEstimator(configured)
}
