import type { Clock } from '../clock.ts'
import type { CompactInput, CompactionSettings } from '../contract/compaction.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import type { ConversationLock } from './conversation-lock.ts'
import type { Escalation } from './escalation.ts'

/** What a compaction run needs. */
export type RunOptions = {
  readonly db: WriteDb
  readonly memories: MemoryReader
  readonly estimator: TokenEstimator
  readonly clock: Clock
  readonly settings: Readonly<CompactionSettings>
  readonly input: CompactInput
  readonly escalation: Escalation
  readonly lock: ConversationLock
  readonly owner: string
  readonly runId: string
  readonly bounds: RunBounds
}

/** Limits that end a run which would otherwise go on. */
export type RunBounds = {
  /** One pass makes leaves, and one pass each depth. */
  readonly passes: number
  readonly durationMs: number
  /** The time limit of one call to a summariser. */
  readonly callMs: number
  /** How often a run plans again because another process changed the window. */
  readonly conflicts: number
}
