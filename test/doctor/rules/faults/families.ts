import { countFaults } from './counts.ts'
import { coverageFaults } from './coverage.ts'
import { cycleFaults } from './cycles.ts'
import { databaseFaults } from './database.ts'
import { depthFaults } from './depths.ts'
import { duplicateFaults } from './duplicates.ts'
import type { FamilyFaults } from './family.ts'
import { fileContentFaults } from './file-contents.ts'
import { fileFaults } from './files.ts'
import { hashFaults } from './hashes.ts'
import { indexFaults } from './indexes.ts'
import { jsonFaults } from './json.ts'
import { lineageFaults } from './lineage.ts'
import { linkFaults } from './links.ts'
import { operationFaults } from './operations.ts'
import { orphanFaults } from './orphans.ts'
import { partFaults } from './parts.ts'
import { sequenceFaults } from './sequence.ts'
import { tableFaults } from './tables.ts'
import { textFaults } from './texts.ts'
import { timeFaults } from './times.ts'
import { tokenFaults } from './token-counts.ts'
import { toolPairFaults } from './tool-pairs.ts'
import { toolResultFaults } from './tool-results.ts'
import { valueFaults } from './values.ts'
import { windowFaults } from './window.ts'

/** By the name of the file of the rules in core/doctor/rules. */
export const FAMILIES: Readonly<Record<string, FamilyFaults>> = {
  counts: countFaults,
  coverage: coverageFaults,
  cycles: cycleFaults,
  database: databaseFaults,
  depths: depthFaults,
  duplicates: duplicateFaults,
  'file-contents': fileContentFaults,
  files: fileFaults,
  hashes: hashFaults,
  indexes: indexFaults,
  json: jsonFaults,
  lineage: lineageFaults,
  links: linkFaults,
  operations: operationFaults,
  orphans: orphanFaults,
  parts: partFaults,
  sequence: sequenceFaults,
  tables: tableFaults,
  texts: textFaults,
  times: timeFaults,
  'token-counts': tokenFaults,
  'tool-pairs': toolPairFaults,
  'tool-results': toolResultFaults,
  values: valueFaults,
  window: windowFaults,
}

/** The families that have faults of one kind, with these faults. */
export const familiesWith = <Fault>(
  faultsOf: (family: FamilyFaults) => readonly Fault[] | undefined,
): { readonly family: string; readonly faults: readonly Fault[] }[] =>
  Object.entries(FAMILIES)
    .map(([family, all]) => ({ family, faults: faultsOf(all) ?? [] }))
    .filter(({ faults }) => faults.length > 0)

export const compactedFaults = Object.values(FAMILIES).flatMap(({ compacted = [] }) => compacted)
export const generatedFaults = Object.values(FAMILIES).flatMap(({ generated = [] }) => generated)
