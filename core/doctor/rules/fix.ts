import type { Clock } from '../../clock.ts'
import type { Sample } from '../../contract/integrity.ts'
import type { RepairRisk, RowChange } from '../../contract/repair.ts'
import type { TokenEstimator } from '../../models/token-estimator.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import type { MemoryModel } from '../repair/memory-model.ts'
import type { Standing } from '../repair/settle.ts'

/** What a fixer looks at, and what a step changes: two steps that share one depend on each other. */
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

/** One step in the making: the model has been changed already. */
export type Draft = {
  readonly title: string
  /** By which rule; the numbers of rows are added by the planner. */
  readonly rule: string
  readonly risk: RepairRisk
  readonly nodes: readonly string[]
  readonly cannotRestore?: string | null
  /** Settled too by this step. */
  readonly fixes?: readonly string[]
  /** Rows that are not in the model. */
  readonly changes?: readonly RowChange[]
  /** Run after all rows have changed; constants of this program, never built from the file. */
  readonly statements?: readonly string[]
  /** Nodes whose texts a summariser has to write anew. */
  readonly rewrite?: readonly string[]
}

export type Scope = {
  readonly model: MemoryModel
  readonly db: ReadDb
  readonly estimator: TokenEstimator
  readonly clock: Clock
  /** False: another system's file, whose own indexes a working copy does not have. */
  readonly isNative: boolean
  /** Null: findings that belong to no conversation. */
  readonly conversationId: number | null
  /** Findings of a check in this conversation, as they were before any step. */
  readonly findings: (checkId: string) => readonly Sample[]
  /** Before this fixer changed anything. */
  readonly was: Standing
  /** Folders in which files of the memory may be read. */
  readonly filesDirs: readonly string[]
}

/** Settles the findings of some checks, as one step a conversation. */
export type Fixer = {
  /** The first one names the step. */
  readonly checks: readonly string[]
  /** Tells its steps from those of another fixer of the same name. */
  readonly part?: string
  /** Findings that make it look; default: those of its checks. */
  readonly triggers?: readonly string[]
  readonly reads: readonly Area[]
  /** One step for the whole file instead of one a conversation. */
  readonly isFileWide?: boolean
  /** Changes the model and says what it did; says nothing when there is nothing to do. */
  readonly fix: (scope: Scope) => Iterable<Draft>
}

/** The summaries of the scope that its findings name and that exist. */
export function namedSummaries({ model, findings }: Scope, checkId: string): string[] {
  return [...new Set(findings(checkId).flatMap(({ id }) => (id !== null && model.summaries.has(id) ? [id] : [])))]
}

export const isIn =
  ({ model, conversationId }: Scope) =>
  (id: string): boolean =>
    model.summaries.get(id)?.conversationId === conversationId

/** 3 messages, 1 message. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
