import { z } from 'zod'
import { CompactionPlan, CompactionResult } from '../../contract/compaction.ts'
import { AssembledContext } from '../../contract/context.ts'
import { CoverageReport } from '../../contract/coverage.ts'
import { ExpandQueryResult } from '../../contract/expand-query.ts'
import { ImportResult } from '../../contract/import.ts'
import { IntegrityReport } from '../../contract/integrity.ts'
import { LedgerReport } from '../../contract/ledger.ts'
import { Description, FileInfo, Lineage, Tree } from '../../contract/lineage.ts'
import { FoundMemory } from '../../contract/machine.ts'
import { MapReport } from '../../contract/map.ts'
import { Stats } from '../../contract/memory.ts'
import { Provenance } from '../../contract/provenance.ts'
import { RepairPlan } from '../../contract/repair.ts'
import { Expansion, GrepResult } from '../../contract/retrieval.ts'
import { SalvageReport } from '../../contract/salvage.ts'
import { StorageReport } from '../../contract/storage.ts'
import { CopyReport } from '../../contract/working-copy.ts'

/** The schemas of what commands print with --json, from the contract. Commands may add fields. */
export const answers: Readonly<Record<string, z.ZodType>> = {
  discover: z.object({ memories: z.array(FoundMemory) }),
  stats: Stats,
  tree: Tree,
  import: ImportResult,
  copy: CopyReport,
  context: AssembledContext,
  compact: z.union([CompactionResult, CompactionPlan]),
  grep: GrepResult,
  describe: Description,
  expand: Expansion,
  'expand-query': ExpandQueryResult,
  lineage: Lineage,
  provenance: Provenance,
  integrity: IntegrityReport,
  coverage: CoverageReport,
  repair: RepairPlan,
  storage: StorageReport,
  salvage: SalvageReport,
  files: z.object({ files: z.array(FileInfo) }),
  file: FileInfo,
  ledger: LedgerReport,
  map: MapReport,
}

/** Says whether an answer matches the schema of its command. Every answer about a sound file does. */
export function isPromised(command: string, answer: unknown): boolean {
  const schema = Object.hasOwn(answers, command) ? answers[command] : undefined
  return schema?.safeParse(answer).success ?? true
}
