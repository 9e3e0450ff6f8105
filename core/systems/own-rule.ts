import type { CheckPhase, CheckResult, Severity } from '../contract/integrity.ts'
import type { SystemId } from '../contract/memory.ts'
import type { Finding, ScanContext } from './scanned-memory.ts'

/** A rule about what only one system does, in files that only it writes. */
export type OwnRule = {
  readonly id: string
  readonly group: CheckResult['group']
  readonly phase: CheckPhase
  readonly invariant: string
  readonly explanation: string
  /** Why files of other systems are not asked. */
  readonly elsewhere: string
  readonly consequenceOf?: readonly string[]
  readonly find?: (context: ScanContext) => Iterable<Finding | null>
  /** Looks at the text of a message or summary; `kind` is the role of the one and the kind of the other. */
  readonly messageText?: Inspect
  readonly summaryText?: Inspect
  /** A reason why this file cannot be asked, or null. */
  readonly notApplicable?: (context: ScanContext) => string | null
} & (
  | { readonly severity: 'info'; readonly advice?: undefined; readonly rewriteBecause?: undefined }
  | { readonly severity: Severity; readonly advice: string; readonly rewriteBecause?: undefined }
  /** Findings are settled by writing the summary anew. */
  | { readonly severity: Severity; readonly advice?: undefined; readonly rewriteBecause: string }
)

/** What is wrong with one text: a sentence without a full stop; null when nothing is. */
type Inspect = (row: { readonly content: string | null; readonly kind: string }) => string | null

/** Why a file cannot be asked a rule that belongs to one system, or null. */
export const whyNotAsked = (owner: SystemId, rule: OwnRule, context: ScanContext): string | null =>
  context.info.system === owner ? (rule.notApplicable?.(context) ?? null) : rule.elsewhere
