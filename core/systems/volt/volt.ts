import type { KnownException } from '../rules/known-exceptions.ts'
import { isBehindDeeper } from '../rules/known-exceptions.ts'
import type { System } from '../system.ts'
import { type SystemFacts, usualFacts } from '../system-facts.ts'

const facts: SystemFacts = {
  ...usualFacts,
  isUncoveredByDesign: (context, message) => context.memory.coverage.leaf[message] !== -1,
  isOrphanByDesign: () => true,
}

const evicted = (label: string): string =>
  `${label} takes its oldest summaries of summaries out of a window that is too full. An agent finds them by search, or by a stub that points to them.`

const knownExceptions: readonly KnownException[] = [
  { rule: 'orphan_summary', why: evicted },
  { rule: 'coverage_gap', why: evicted },
  {
    rule: 'context_order',
    why: (label) => `${label} keeps summaries of summaries before first summaries, and both before messages.`,
    matches: isBehindDeeper,
  },
]

/** Keeps the memory of each user in a schema of one PostgreSQL database: `docs/volt.md`. What reads it is `core/remote/volt`. */
export const volt: System & { readonly label: string } = {
  id: 'volt',
  label: 'Volt',
  facts,
  valueRules: [],
  ownIndexes: [],
  tokenRules: [],
  knownExceptions,
  rules: [],
  preset: null,
  places: () => [],
  summaries: 'replace',
  ledger: null,
}
