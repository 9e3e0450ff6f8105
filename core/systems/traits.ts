import type { Role } from '../contract/ids.ts'
import type { ValueRule } from './rules/value-rules.ts'
import type { OwnIndex, SystemFacts, TokenRule } from './system-facts.ts'

/** How a system's own ledger is read. */
type LedgerFormat = {
  /** Returns the path of the ledger that belongs to a database. */
  pathOf(realPath: string): string
  /** Returns the role of whoever said what an event records. */
  roleOf(event: { readonly kind: string; readonly actor: string }): Role
}

/** What rules ask of the system of a file. */
export type SystemTraits = {
  readonly facts: SystemFacts
  /** What the columns of its tables must hold. */
  readonly valueRules: readonly ValueRule[]
  /** The full-text indexes that its files have. */
  readonly ownIndexes: readonly OwnIndex[]
  /** How its releases count tokens, by their own code; empty where it counts as this engine does. */
  readonly tokenRules: readonly TokenRule[]
  /** The append-only ledger in which it records what was said; null where it keeps none of its own. */
  readonly ledger: LedgerFormat | null
}
