import type { CheckPhase } from '#core/contract/integrity.ts'
import { ledgerRules } from '#core/ledgers.ts'
import { type Fix, inOrder } from '#core/systems/rules/fix.ts'
import type { ExceptedRule } from '#core/systems/rules/known-exceptions.ts'
import type { Rule } from '#core/systems/rules/rule.ts'
import { allSystems } from '#core/systems/systems.ts'
import { countRules } from './counts.ts'
import { coverageRules } from './coverage.ts'
import { lineageCycle } from './cycles.ts'
import { databaseRules } from './database.ts'
import { depthMismatch, kindMismatch } from './depths.ts'
import { duplicateRules } from './duplicates.ts'
import { fileContentRules } from './file-contents.ts'
import { fileRules } from './files.ts'
import { hashRules } from './hashes.ts'
import { indexRules } from './indexes.ts'
import { jsonRules } from './json.ts'
import { brokenChain, crossConversationEdge, danglingEdge, prunedExpected } from './lineage.ts'
import { linkRules } from './links.ts'
import { logRules } from './log.ts'
import { operationRules } from './operations.ts'
import { orphanSummary, summaryWithoutSource } from './orphans.ts'
import { partRules } from './parts.ts'
import { sequenceRules } from './sequence.ts'
import { tableRules } from './tables.ts'
import { textRules } from './texts.ts'
import { timeRules } from './times.ts'
import { tokenRules } from './token-counts.ts'
import { toolPairRules } from './tool-pairs.ts'
import { toolResultRules } from './tool-results.ts'
import { valueRules } from './values.ts'
import { windowRules } from './window.ts'

/** The order in which phases run: first what answers at once, last what reads every page of the file. */
export const PHASES: readonly CheckPhase[] = ['structure', 'text', 'index', 'files', 'sqlite']

const memoryRules = [
  summaryWithoutSource,
  kindMismatch,
  danglingEdge,
  crossConversationEdge,
  lineageCycle,
  depthMismatch,
  orphanSummary,
  prunedExpected,
  brokenChain,
  ...linkRules,
  ...windowRules,
  ...coverageRules,
  ...toolPairRules,
  ...countRules,
  ...valueRules,
  ...timeRules,
  ...sequenceRules,
  ...operationRules,
  ...toolResultRules,
  ...hashRules,
  ...tokenRules,
  ...textRules,
  ...duplicateRules,
  ...partRules,
  ...jsonRules,
  ...indexRules,
  ...fileRules,
  ...fileContentRules,
] as const
const allDatabaseRules = [...logRules, ...tableRules, ...databaseRules] as const

/** Ids of the rules in this folder. They must include every rule that a system may break by design. */
export type RuleId = Containing<ExceptedRule, (typeof memoryRules | typeof allDatabaseRules)[number]['id']>
type Containing<Part extends Whole, Whole> = Part | Whole
type ListedRule = Rule & { readonly id: RuleId; readonly consequenceOf?: readonly RuleId[] }

/** This list does not compile when a rule names a consequence of a rule that does not exist. */
const all: readonly Rule[] = [
  ...(memoryRules satisfies readonly ListedRule[]),
  ...allSystems().flatMap((system) => system.rules),
  ...ledgerRules,
  ...(allDatabaseRules satisfies readonly ListedRule[]),
]

/** All rules, in the order in which they run. */
export const rules: readonly Rule[] = PHASES.flatMap((phase) => all.filter((rule) => rule.phase === phase))

/** All fixes, in the order in which their steps are applied. */
export const fixes: readonly Fix[] = inOrder(new Set(rules.flatMap((rule) => rule.fixes ?? [])))

/** Returns the rules whose findings a fix settles. The one that names its steps comes first. */
export const rulesOf = (fix: Fix): readonly Rule[] =>
  rules
    .filter((rule) => rule.fixes?.includes(fix))
    .toSorted((a, b) => Number(b.id === fix.name) - Number(a.id === fix.name))
