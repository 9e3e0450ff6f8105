import type { Clock } from '../clock.ts'
import type { TokenEstimator } from '../context/token-estimator.ts'
import type { CompactionSettings } from '../contract/compaction.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import { readWays } from '../db/copied-from.ts'
import type { ReadDb } from '../db/read-db.ts'
import { probeSchema } from '../db/schema-probe.ts'
import type { CheckContext } from './check.ts'
import { dialectFactsOf } from './dialect-facts.ts'
import { Inherited, Seal } from './inherited.ts'
import { MemoryFacts } from './memory-facts.ts'

export type ContextTools = {
  readonly db: ReadDb
  readonly info: MemoryInfo
  readonly estimator: TokenEstimator
  readonly settings: CompactionSettings
  readonly clock: Clock
}

/** What the checks look at in one scan of all conversations. */
export function contextOf(tools: ContextTools): CheckContext {
  const { db, info } = tools
  const seal = info.system === 'native' ? sealOf(db) : null
  return {
    ...tools,
    conversationId: null,
    dialect: dialectFactsOf(info.system),
    facts: new MemoryFacts(),
    probe: probeSchema(db),
    inherited: seal === null ? null : new Inherited(seal),
  }
}

/** Of a working copy; null of any other file, and where it is not legible: then nothing is excused. */
export const sealOf = (db: ReadDb): Seal | null => Seal.safeParse(readWays(db)).data ?? null
