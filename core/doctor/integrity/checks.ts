import type { CheckPhase } from '../../contract/integrity.ts'
import type { Check } from './check.ts'
import { contentChecks } from './content-checks.ts'
import { contextChecks } from './context-checks.ts'
import { duplicateChecks } from './duplicate-checks.ts'
import { fileChecks } from './file-checks.ts'
import { fileContentChecks } from './file-content-checks.ts'
import { indexChecks } from './index-checks.ts'
import { jsonChecks } from './json-checks.ts'
import { largeFileChecks } from './large-file-checks.ts'
import { ledgerChecks } from './ledger-checks.ts'
import { lineageChecks } from './lineage-checks.ts'
import { linkChecks } from './link-checks.ts'
import { logChecks } from './log-checks.ts'
import { operationsChecks } from './operations-checks.ts'
import { orderInTimeChecks } from './order-in-time-check.ts'
import { partChecks } from './part-checks.ts'
import { sequenceChecks } from './sequence-checks.ts'
import { structureChecks } from './structure-checks.ts'
import { systemChecks } from './system-checks.ts'
import { textChecks } from './text-checks.ts'
import { timeChecks } from './time-checks.ts'
import { toolResultChecks } from './tool-result-checks.ts'
import { valueChecks } from './value-checks.ts'

/** In the order in which they run: what answers at once first, what reads every page of the file last. */
export const PHASES: readonly CheckPhase[] = ['structure', 'text', 'index', 'files', 'sqlite']

const all: readonly Check[] = [
  ...lineageChecks,
  ...linkChecks,
  ...contextChecks,
  ...contentChecks,
  ...valueChecks,
  ...timeChecks,
  ...orderInTimeChecks,
  ...sequenceChecks,
  ...operationsChecks,
  ...toolResultChecks,
  ...textChecks,
  ...duplicateChecks,
  ...partChecks,
  ...jsonChecks,
  ...indexChecks,
  ...largeFileChecks,
  ...fileContentChecks,
  ...systemChecks,
  ...ledgerChecks,
  ...logChecks,
  ...structureChecks,
  ...fileChecks,
]

/** Every check there is, in the order in which they run. */
export const checks: readonly Check[] = PHASES.flatMap((phase) => all.filter((check) => check.phase === phase))
