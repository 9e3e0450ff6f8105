import type { Fixer } from '../rules/fix.ts'
import { cycleFixes } from './cycle-fixes.ts'
import { fileFixes } from './file-fixes.ts'
import { indexFixes } from './index-fixes.ts'
import { lineageFixes, orderFixes } from './lineage-fixes.ts'
import { linkFixes } from './link-fixes.ts'
import { numberFixes, valueFixes } from './number-fixes.ts'
import { operationFixes } from './operation-fixes.ts'
import { rewriteFixes } from './rewrite-fixes.ts'
import { windowFixes } from './window-fixes.ts'

/** Every fixer, in the order in which steps are applied: links, then windows, then numbers, then what follows from rows. */
export const fixers: readonly Fixer[] = [
  ...linkFixes,
  ...cycleFixes,
  ...lineageFixes,
  ...windowFixes,
  ...valueFixes,
  ...orderFixes,
  ...numberFixes,
  ...rewriteFixes,
  ...fileFixes,
  ...operationFixes,
  ...indexFixes,
]

/** Settled where derived rows are at fault; where canonical rows are, nothing in the file says what is right. */
export const partlyRepairable: ReadonlySet<string> = new Set(['foreign_keys', 'invalid_value', 'malformed_json'])

/** Settled by another command, which a manual step names. */
export const repairedElsewhere: ReadonlySet<string> = new Set(['ledger_behind', 'ledger_ahead', 'ledger_foreign'])

/** Checks whose every finding a step can settle. */
export const repairableChecks: ReadonlySet<string> = new Set(
  fixers.flatMap((fixer) => fixer.checks).filter((check) => !partlyRepairable.has(check)),
)
