import type { Clock } from '#core/clock.ts'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { JobProgress } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { RepairInput } from '#core/contract/repair.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { ConfiguredSummarizers } from '#core/settings/configured-summarizers.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import type { Examination, Excepted, Scanner } from '../scan/scanner.ts'
import type { Findings, PlannedStep } from './plan-steps.ts'

/** What repairs and surgery on a file need. */
export type RepairerOptions = {
  readonly db: ReadDb
  readonly info: MemoryInfo
  readonly estimator: TokenEstimator
  readonly settings: Readonly<CompactionSettings>
  readonly clock: Clock
  readonly owner: string
  readonly integrity: Scanner
  readonly summarizers: ConfiguredSummarizers
  readonly requireWrite: (what: string) => WriteDb
  /** Folders from which large files may be read. */
  readonly filesDirs: readonly string[]
}

/** A scan and the plan for its findings. */
export type Diagnosis = {
  readonly report: IntegrityReport
  readonly findings: Findings
  readonly excepted: Excepted
  readonly steps: readonly PlannedStep[]
  readonly readRows: Examination['readRows']
}

/** The same as `RepairInput`, for all steps at once, and optionally for one conversation. */
export type RepairAllInput = Omit<RepairInput, 'steps'> & { readonly conversationId?: number }

/** Scans a file and plans its repair. */
export type Diagnose = (
  conversationId: number | undefined,
  signal: AbortSignal,
) => AsyncGenerator<JobProgress, Diagnosis>
