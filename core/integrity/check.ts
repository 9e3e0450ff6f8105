import type { Clock } from '../clock.ts'
import type { CompactionSettings } from '../contract/compaction.ts'
import type { CheckResult, Sample, Severity } from '../contract/integrity.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import type { ReadDb } from '../db/read-db.ts'
import type { DagFacts } from './dag-facts.ts'

/** What a check may look at. Facts about the DAG are read once and shared. */
export type CheckContext = {
  readonly db: ReadDb
  readonly info: MemoryInfo
  readonly settings: CompactionSettings
  readonly clock: Clock
  /** Null checks every conversation. */
  readonly conversationId: number | null
  readonly dag: () => DagFacts
}

/** One thing that is not as it should be. */
export type Finding = Sample

/** An invariant of a memory, defined once: what must hold, what it means when it does not, and how to find out. */
export type Check = {
  readonly id: string
  readonly group: CheckResult['group']
  readonly severity: Severity
  readonly invariant: string
  readonly explanation: string
  readonly repairable: boolean
  /** A reason why this file cannot be asked, or null. */
  readonly notApplicable?: (context: CheckContext) => string | null
  /** Findings one by one; the checker counts them, keeps the first, and may stop between two. */
  readonly find: (context: CheckContext) => Iterable<Finding | null>
}

/** Rows of a query that selects `id`, `conversationId` and `detail` are findings. */
export function* findByQuery(context: CheckContext, sql: string): Iterable<Finding> {
  for (const row of context.db.iterate<Finding>(sql, { conversation: context.conversationId })) yield row
}

export const nativeOnly =
  (what: string) =>
  ({ info }: CheckContext): string | null =>
    info.system === 'native' ? null : `${info.systemLabel} does not record ${what}.`
