// Why it is so: docs/decisions/0005-rules-repair-and-surgery.md

import type { Clock } from '#core/clock.ts'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { CheckPhase, CheckResult, Sample, Severity } from '#core/contract/integrity.ts'
import type { LedgerState } from '#core/contract/ledger.ts'
import type { MemoryInfo, SystemId } from '#core/contract/memory.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { SystemTraits } from '../traits.ts'
import type { FileDraft } from './file-draft.ts'
import type { Area, Fix } from './fix.ts'
import type { Finding, ScanContext } from './scanned-memory.ts'

/** What a rule may look at. The memory is read once and shared. */
export type RuleContext = ScanContext & {
  readonly system: SystemTraits
  readonly settings: CompactionSettings
  readonly estimator: TokenEstimator
  readonly clock: Clock
  /** The folder of large files that is configured. Null or absent: the one beside the memory. */
  readonly filesDir?: string | null
  /** Null where this machine allows no ledger. */
  readonly ledger: LedgerAccess | null
  /** The findings that a working copy inherited by design of the system that it comes from; null for other files. */
  readonly baseline: Baseline | null
}

/** What this machine allows for the ledger that a memory of ours names. */
type LedgerAccess = {
  isAllowed(path: string): boolean
  state(): LedgerState
}

export type Baseline = {
  readonly origin: { readonly system: SystemId; readonly systemLabel: string }
  /** Says why a finding of a rule is by design. Null when it is a fault. */
  whyByDesign(context: RuleContext, rule: { readonly id: string }, finding: Finding): string | null
}

/** A text that is read in one pass by all rules that ask for it. */
export type TextRow = {
  /** The id of a message or a summary, as an id of a node. */
  readonly id: string
  readonly conversationId: number
  /** Position of a message, or node of a summary. */
  readonly position: number
  readonly tokens: number | null
  /** The hash that is stored with it, where the system keeps one. */
  readonly hash: string | null
  /** Null where the file has none although it must. */
  readonly content: string | null
  /** Role of a message; kind of a summary. */
  readonly kind: string
  readonly model: string | null
}

/** Says what is wrong with one text, in a sentence without a full stop. Null when nothing is. */
export type Inspector = (row: TextRow) => string | null

/**
 * One invariant of a memory and all that belongs to it: how findings are found, how they are repaired or what to advise,
 * which other rules they follow from, and how they are explained.
 */
export type Rule = Invariant & Remedy

type Invariant = {
  readonly id: string
  readonly group: CheckResult['group']
  readonly severity: Severity | ((info: MemoryInfo) => Severity)
  readonly phase: CheckPhase
  readonly invariant: string
  readonly explanation: string
  /** Ids of rules whose findings necessarily make this one find something as well: no fault of its own then. */
  readonly consequenceOf?: readonly string[]
  /** A reason why this file cannot be asked, or null. */
  readonly notApplicable?: (context: RuleContext) => string | null
  /** Findings one by one, null for a row that is well; the scan counts, keeps the first, and may yield between two. */
  readonly find?: (context: RuleContext) => Iterable<Finding | null>
  /** For a rule that reads every text: what is asked of each; null when nothing has to be asked of this file's. */
  readonly messageTexts?: (context: RuleContext) => Inspector | null
  readonly summaryTexts?: (context: RuleContext) => Inspector | null
  /** How findings without a fix of their own are settled by steps of other fixes. */
  readonly settledAlong?: SettledAlong
  /** True for a rule of the phase `sqlite` that says nothing of a file that cannot be read, since other rules do. */
  readonly leavesUnreadFile?: boolean
  /** True when a repair that settles errors is kept although this rule finds more in what it made reachable. */
  readonly givesWayToErrors?: boolean
  /** True when it is not looked for while a repair is being written: it cannot get worse then, and takes too long. */
  readonly isLeftOutOfCommit?: (bytes: number) => boolean
}

/** Every finding is settled by steps, or a person is told what to do, or it is an expected state. */
type Remedy =
  | {
      readonly fixes: readonly Fix[]
      /** For findings that no step settles. */
      readonly advice?: string
      readonly cannotRestore?: string
      readonly isSettledByCommand?: undefined
    }
  | {
      readonly fixes?: undefined
      readonly advice: string
      /** What stays lost. */
      readonly cannotRestore?: string
      /** Following the advice, which names a command, settles every finding. */
      readonly isSettledByCommand?: boolean
    }
  | {
      readonly severity: 'info'
      readonly fixes?: undefined
      readonly advice?: undefined
      readonly cannotRestore?: undefined
      readonly isSettledByCommand?: undefined
    }

type SettledAlong = {
  /** What a step must change to be the one that settles such a finding. */
  readonly reads: readonly Area[]
  /** Whether a finding is gone in this state of links and windows. */
  readonly isGone: (finding: Sample, draft: FileDraft) => boolean
  /** True when all findings are settled or none is, whatever their conversations are. */
  readonly isFileWide?: boolean
}

/** Whether every finding of a rule can be settled without a person who decides. */
export const isRepairable = ({ fixes, advice, isSettledByCommand }: Rule): boolean =>
  isSettledByCommand === true || (fixes !== undefined && advice === undefined)

/** The remedy for findings in messages, which are never changed. */
export const onlyInTranscript = (advice: string) => ({
  advice: `${advice} Messages are never changed by the app.`,
  cannotRestore: 'What stood there first is only in a backup or the transcript.',
})

/**
 * `notApplicable` of a rule about what only one system does.
 * @param elsewhere why files of other systems are not asked
 * @param why a reason why this file of the system cannot be asked, or null
 */
export const onlyIn =
  (system: SystemId, elsewhere: string, why: (context: RuleContext) => string | null = () => null) =>
  (context: RuleContext): string | null =>
    context.info.system === system ? why(context) : elsewhere
