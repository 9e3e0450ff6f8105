import type { Clock } from '#core/clock.ts'
import type { Sample } from '#core/contract/integrity.ts'
import type { RepairRisk, RowChange } from '#core/contract/repair.ts'
import type { StateBefore } from '#core/memory/draft-coverage.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { FileDraft } from './file-draft.ts'

/** What a fix looks at, and what a step changes: two steps that share an area depend on each other. */
export type Area =
  | 'edges'
  | 'window'
  | 'summaries'
  | 'kind'
  | 'depth'
  | 'descendants'
  | 'times'
  | 'sourceTokens'
  | 'tokens'
  | 'hash'
  | 'fileIds'
  | 'text'
  | 'index'
  | 'operations'
  | 'files'

/**
 * The order in which the steps of a plan are applied. Links that a hash proves are restored before any link is cut.
 * Windows follow, then numbers, which depend on both, then texts, and at last indexes, locks, runs and files.
 */
const STAGES = [
  'proven links',
  'dangling links',
  'repeated links',
  'links across conversations',
  'cycles',
  'double coverage',
  'summaries without source',
  'orphans',
  'dangling window entries',
  'repeated window entries',
  'uncovered messages',
  'order of the window',
  'newest messages',
  'copies of messages',
  'numbers of the window',
  'kinds',
  'values',
  'order of sources',
  'depths',
  'tokens',
  'descendants',
  'time ranges',
  'file lists',
  'hashes',
  'failed summaries',
  'long summaries',
  'files',
  'locks',
  'runs',
  'schema',
  'damaged indexes',
  'indexes',
] as const
type FixStage = (typeof STAGES)[number]

/** What rules and fixes call each other by. */
type RuleReference = { readonly id: string }

/** What a fix says about one step; the draft has been changed already. */
export type StepDraft = {
  readonly title: string
  /** The principle of the step. The planner adds the numbers of rows. */
  readonly rule: string
  readonly risk: RepairRisk
  readonly nodes: readonly string[]
  readonly cannotRestore?: string | null
  /** Rules without this fix whose findings the step settles too. */
  readonly alsoSettles?: readonly RuleReference[]
  /** Changed rows that no draft holds. */
  readonly changes?: readonly RowChange[]
  /** Run after all rows have changed; constants of this program. Of the file they have at most the name of an index, quoted. */
  readonly statements?: readonly string[]
  /** True for statements that name tables of another system's file, which a working copy does not have. */
  readonly isForOriginal?: boolean
  /** Summaries whose texts a summariser has to write again. */
  readonly rewrite?: readonly string[]
  /** Messages that are left out of their windows for good, because the same messages are in the file once more. */
  readonly setAside?: readonly number[]
}

/** What a fix may look at, in one conversation or in the whole file. */
export type FixContext = {
  readonly draft: FileDraft
  readonly db: ReadDb
  readonly estimator: TokenEstimator
  readonly clock: Clock
  /** False for another system's file, whose own indexes a working copy does not have. */
  readonly isNative: boolean
  /** Null for findings that belong to no conversation. */
  readonly conversationId: number | null
  /** The findings of all rules that have this fix, as they were before any step. */
  readonly findings: readonly Sample[]
  /** The findings of one rule, whether it has this fix or not. */
  readonly findingsOf: (rule: RuleReference) => readonly Sample[]
  /** True for a node that is a known exception of a rule with this fix: what it stores is right, and stays. */
  readonly isExcepted: (id: string) => boolean
  /** What stood for what before this fix changed anything. */
  readonly was: StateBefore
  /** Folders in which files of the memory may be read. */
  readonly filesDirs: readonly string[]
}

/** Settles the findings of the rules that have it, as one step a conversation. */
export type Fix = {
  /** The id of one of its rules, by which its steps are called. */
  readonly name: string
  /** Tells its steps from those of another fix of the same name. */
  readonly part?: string
  readonly stage: FixStage
  readonly reads: readonly Area[]
  /** True when there is one step for the whole file instead of one for each conversation. */
  readonly isFileWide?: boolean
  /** Changes the draft and says what it did; says nothing when there is nothing to do. */
  readonly apply: (context: FixContext) => Iterable<StepDraft>
}

/** Returns fixes in the order in which their steps are applied. */
export const inOrder = (fixes: Iterable<Fix>): Fix[] =>
  [...fixes].toSorted((a, b) => STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage))

/** The summaries that the findings name and that exist. */
export function namedSummaries({ draft, findings }: FixContext): string[] {
  return [...new Set(findings.flatMap(({ id }) => (id !== null && draft.summaries.has(id) ? [id] : [])))]
}

/** Whether a summary is of the conversation that is repaired. */
export const isIn =
  ({ draft, conversationId }: FixContext) =>
  (id: string): boolean =>
    draft.summaries.get(id)?.conversationId === conversationId
