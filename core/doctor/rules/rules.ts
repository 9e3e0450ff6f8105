import type { CheckPhase } from '../../contract/integrity.ts'
import { contentChecks } from './counts.ts'
import { fileChecks } from './database.ts'
import { duplicateChecks } from './duplicates.ts'
import { fileContentChecks } from './file-contents.ts'
import { largeFileChecks } from './files.ts'
import { indexChecks } from './indexes.ts'
import { jsonChecks } from './json.ts'
import { ledgerChecks } from './ledger.ts'
import { lineageChecks } from './lineage.ts'
import { linkChecks } from './links.ts'
import { logChecks } from './log.ts'
import { operationsChecks } from './operations.ts'
import { orderInTimeChecks } from './order-in-time.ts'
import { partChecks } from './parts.ts'
import type { Check } from './rule.ts'
import { sequenceChecks } from './sequence.ts'
import { systemChecks } from './systems.ts'
import { structureChecks } from './tables.ts'
import { textChecks } from './texts.ts'
import { timeChecks } from './times.ts'
import { toolResultChecks } from './tool-results.ts'
import { valueChecks } from './values.ts'
import { contextChecks } from './window.ts'

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
