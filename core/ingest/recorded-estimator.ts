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

/** Returns the estimator that a native memory names for its token counts, or undefined when it names none. */
export function readRecordedEstimator(db: ReadDb): unknown {
  try {
    return db.value(queries.read)
  } catch (error) {
    // A file whose notes are damaged is opened nevertheless.
    if (error instanceof LcmError) return undefined
    throw error
  }
}

/**
 * Records the estimator of a memory. The first record stays, because all messages of a memory are counted in one way.
 */
export function recordEstimator(db: WriteDb, name: string): void {
  db.run(queries.record, { name })
}

/**
 * Returns the estimator for a memory. A native memory continues with the one that it names, so that its numbers can be
 * compared. A working copy has the numbers of its system, which are about those of the first heuristic.
 */
export function estimatorOf(db: ReadDb, info: MemoryInfo, configured: TokenEstimatorName): TokenEstimator {
  const recorded = isNative(info) ? readRecordedEstimator(db) : undefined
  const inherited = recorded === undefined && info.copiedFrom ? 'heuristic' : recorded
  return recordedEstimator(inherited) ?? createTokenEstimator(configured)
}
