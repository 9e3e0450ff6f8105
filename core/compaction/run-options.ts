import type { Clock } from '../clock.ts'
import type { CompactInput, CompactionSettings } from '../contract/compaction.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/memory-reader.ts'
import type { ConversationLock } from './conversation-lock.ts'
import type { Escalation } from './escalation.ts'

/** What a run of the compaction works with. */
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

/** What ends a run that would otherwise go on. */
export type RunBounds = {
  /** One leaf pass, then one pass a depth. */
  readonly passes: number
  readonly durationMs: number
  /** How long one call to a summariser may take. */
  readonly callMs: number
  /** How often a run makes a new plan because another process changed the window meanwhile. */
  readonly conflicts: number
}
