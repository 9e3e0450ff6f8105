import type { Clock } from '../../clock.ts'
import type { CompactionSettings } from '../../contract/compaction.ts'
import type { CheckPhase, CheckResult, Severity } from '../../contract/integrity.ts'
import type { MemoryInfo } from '../../contract/memory.ts'
import type { LedgerPermission } from '../../ingest/ledger/ledger-permission.ts'
import type { TokenEstimator } from '../../models/token-estimator.ts'
import type { Finding, ScanContext } from '../../systems/scanned-memory.ts'
import type { System } from '../../systems/system.ts'
import type { SystemFacts } from '../../systems/system-facts.ts'
import type { Inherited } from '../integrity/inherited.ts'

export type { Finding } from '../../systems/scanned-memory.ts'

/** What a check may look at. Facts are read once and shared. */
export type CheckContext = ScanContext & {
  readonly system: System
  readonly dialect: SystemFacts
  readonly settings: CompactionSettings
  readonly estimator: TokenEstimator
  readonly clock: Clock
  /** What this machine allows of the memory's ledger; null: nothing. */
  readonly ledgers: LedgerPermission | null
  /** In a working copy, what is by design of the system that it comes from; null elsewhere. */
  readonly inherited: Inherited | null
}

/** A text that is read in one pass by all checks that ask for it. */
export type TextRow = {
  /** Of a message or a summary, as an id of a node. */
  readonly id: string
  readonly conversationId: number
  /** Place of a message, or of a summary, in the facts. */
  readonly place: number
  readonly tokens: number | null
  /** The hash that is stored with it, where the system keeps one. */
  readonly hash: string | null
  /** Null where the file has none although it must. */
  readonly content: string | null
  /** Role of a message; kind of a summary. */
  readonly kind: string
  readonly model: string | null
}

/** What is wrong with one text: a sentence without a full stop; null when nothing is. */
export type Inspector = (row: TextRow) => string | null

/** An invariant of a memory, defined once: what must hold, what it means when it does not, and how to find out. */
export type Check = {
  readonly id: string
  readonly group: CheckResult['group']
  readonly severity: Severity | ((info: MemoryInfo) => Severity)
  readonly phase: CheckPhase
  readonly invariant: string
  readonly explanation: string
  readonly repairable: boolean
  /** Checks whose findings necessarily make this one fire as well: no fault of its own then. */
  readonly consequenceOf?: readonly string[]
  /** A reason why this file cannot be asked, or null. */
  readonly notApplicable?: (context: CheckContext) => string | null
  /** Findings one by one, null for a row that is well; the checker counts, keeps the first, and may pause between two. */
  readonly find?: (context: CheckContext) => Iterable<Finding | null>
  /** For a check that reads every text: what is asked of each; null when nothing has to be asked of this file's. */
  readonly messageTexts?: (context: CheckContext) => Inspector | null
  readonly summaryTexts?: (context: CheckContext) => Inspector | null
}

/** Rows of a query that selects `id`, `conversationId` and `detail` are findings; `:conversation` narrows it. */
export function* findByQuery(context: CheckContext, sql: string): Iterable<Finding> {
  for (const row of context.db.iterate<Finding>(sql, { conversation: context.conversationId })) yield row
}

/** `findByQuery` on tables that the file may lack; without them nothing is found. */
export function* findIn(context: CheckContext, tables: readonly string[], sql: string): Iterable<Finding> {
  if (tables.every((table) => context.probe.has(table))) yield* findByQuery(context, sql)
}

export const nativeOnly =
  (what: string) =>
  ({ info }: CheckContext): string | null =>
    info.system === 'native' ? null : `${info.systemLabel} does not record ${what}.`

/** Whether a finding in this conversation was asked for. */
export const isAsked = ({ conversationId }: CheckContext, of: number): boolean =>
  conversationId === null || conversationId === of
