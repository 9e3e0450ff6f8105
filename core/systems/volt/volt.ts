import type { KnownException } from '../known-exceptions.ts'
import { isBehindDeeper } from '../known-exceptions.ts'
import type { RemoteSystem } from '../remote-system.ts'
import { type SystemFacts, usualFacts } from '../system-facts.ts'
import { countConversations, countVoltAlarm, readPage, readStalledUsers } from './fleet.ts'
import { readContents, readConversations, readHead, readPartIds, readParts, readTable, readTokens } from './rows.ts'
import { isVolt, requireReadable } from './tables.ts'

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
    isSo: isBehindDeeper,
  },
]

/** Keeps the memory of each user in a schema of one PostgreSQL database: `docs/volt.md`. */
export const volt: RemoteSystem = {
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
  recognise: isVolt,
  require: requireReadable,
  rows: {
    conversations: readConversations,
    head: readHead,
    table: readTable,
    parts: (query, key, _table, values, column) => readParts(query, key, values, column),
    tokens: readTokens,
    partIds: readPartIds,
    contents: readContents,
  },
  fleet: { page: readPage, count: countConversations, countAlarm: countVoltAlarm, stalled: readStalledUsers },
}
