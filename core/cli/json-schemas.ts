import { getEventIteratorSchemaDetails } from '@orpc/contract'
import { z } from 'zod'
import { CompactionPlan, CompactionResult } from '../contract/compaction.ts'
import { AssembledContext } from '../contract/context.ts'
import { contract } from '../contract/contract.ts'
import { CoverageReport } from '../contract/coverage.ts'
import { ExpandQueryResult } from '../contract/expand-query.ts'
import { ImportResult } from '../contract/import.ts'
import { IntegrityReport } from '../contract/integrity.ts'
import { LedgerReport } from '../contract/ledger.ts'
import { Description, FileInfo, Lineage, Tree } from '../contract/lineage.ts'
import { FoundMemory } from '../contract/machine.ts'
import { Stats } from '../contract/memory.ts'
import { Provenance } from '../contract/provenance.ts'
import { RepairPlan } from '../contract/repair.ts'
import { Expansion, GrepResult } from '../contract/retrieval.ts'
import { SalvageReport } from '../contract/salvage.ts'
import { StorageReport } from '../contract/storage.ts'
import { CopyReport } from '../contract/working-copy.ts'

/** What commands print with --json, as the contract has it; commands may add fields. */
const answers: Readonly<Record<string, z.ZodType>> = {
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
}

/** JSON schema of what a command prints, with times as they are printed; null where none is promised. */
export function answerSchema(command: string): unknown {
  const schema = Object.hasOwn(answers, command) ? answers[command] : undefined
  return schema ? asPrinted(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })) : null
}

const PRINTED_TIME = { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }
const isTime = (name: string): boolean => /(^a|A)tMs$/.test(name)
const printedName = (name: string): string => (isTime(name) ? name.slice(0, -2) : name)

/** As `toCliJson` does with values: `…AtMs` is a number in the contract and `…At` a text on paper. */
function asPrinted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asPrinted)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'properties' && typeof value === 'object' && value !== null) return [key, printedProperties(value)]
      if (key === 'required' && Array.isArray(value)) return [key, value.map((name) => printedName(String(name)))]
      return [key, asPrinted(value)]
    }),
  )
}

const printedProperties = (properties: object): object =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      printedName(name),
      isTime(name) ? PRINTED_TIME : asPrinted(value),
    ]),
  )

type Schema = Parameters<typeof getEventIteratorSchemaDetails>[0]
type Procedure = { '~orpc': { inputSchema?: Schema; outputSchema?: Schema } }

/** Input and answer of each procedure; times in them are milliseconds, which commands print as ISO 8601. */
export function procedures() {
  return Object.entries(contract).flatMap(([area, group]) => {
    const members: Record<string, unknown> = '~orpc' in group ? { '': group } : group
    return Object.entries(members).map(([name, procedure]) => {
      const { inputSchema, outputSchema } = (procedure as Procedure)['~orpc']
      const stream = getEventIteratorSchemaDetails(outputSchema)
      return {
        name: name ? `${area}.${name}` : area,
        input: jsonSchema(inputSchema, 'input'),
        output: jsonSchema(stream ? stream.yields : outputSchema, 'output'),
        isStream: stream !== undefined,
      }
    })
  })
}

/** null where nothing is promised. */
const jsonSchema = (schema: Schema, io: 'input' | 'output') =>
  schema instanceof z.ZodType ? z.toJSONSchema(schema, { io, unrepresentable: 'any' }) : null
