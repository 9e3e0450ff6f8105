import { z } from 'zod'
import { SummarizerName } from './compaction.ts'
import { ConversationId, NodeId, TimeMs } from './ids.ts'

/**
 * `safe` rebuilds what follows from the rest of the file. `rewrite` changes derived content by a rule, which the step
 * names. `model` needs a summariser. `manual` cannot be done by the app, and the step says what a person can do.
 */
export const RepairRisk = z.enum(['safe', 'rewrite', 'model', 'manual'])
export type RepairRisk = z.infer<typeof RepairRisk>

export const Cell = z.union([z.string(), z.number(), z.null()])
export type Cell = z.infer<typeof Cell>
export const Cells = z.record(z.string(), Cell)
export type Cells = z.infer<typeof Cells>

/**
 * One row of a derived table. It is added when `before` is null and removed when `after` is null. Otherwise only the
 * changes are named.
 */
export const RowChange = z.object({
  table: z.string(),
  key: Cells,
  before: Cells.nullable(),
  after: Cells.nullable(),
})
export type RowChange = z.infer<typeof RowChange>

export const RepairStep = z.object({
  /**
   * The id is the same for the same fault in every plan: check and conversation, `coverage_gap:3`, or the check alone.
   */
  id: z.string(),
  /** The ids of the checks whose findings it settles. */
  fixes: z.array(z.string()),
  /** Null when it concerns the file. */
  conversationId: ConversationId.nullable(),
  /** The first nodes that it concerns, to be shown. */
  nodes: z.array(NodeId),
  title: z.string(),
  /** Says what changes, in a sentence with numbers, and by which rule. */
  description: z.string(),
  risk: RepairRisk,
  /** The number of rows that change. For an index, the number of missing entries. */
  rows: z.int(),
  /** The first 200. `rows` counts all. */
  changes: z.array(RowChange),
  /** The first 200 statements, as a person could run them on a native file. An export has all. */
  sql: z.array(z.string()),
  /** What stays lost, in a sentence, or null when nothing does. */
  cannotRestore: z.string().nullable(),
  /** The ids of steps that come first. Selecting this step selects them. */
  dependsOn: z.array(z.string()),
  /**
   * A hash of every row that changes, before and after. It is sent back when the step is applied, and proves that
   * nothing changed meanwhile.
   */
  fingerprint: z.string(),
})
export type RepairStep = z.infer<typeof RepairStep>

export const RepairPlan = z.object({
  /** A hash of all fingerprints. */
  planId: z.string(),
  madeAtMs: TimeMs,
  /** The steps in the order in which they are applied. */
  steps: z.array(RepairStep),
  /** Why no step can be applied to this file, and what to do instead, or null when steps can be applied. */
  onlyExport: z.string().nullable(),
  /** The findings by check, for checks that have any, without expected states. */
  findings: z.record(z.string(), z.int()),
})
export type RepairPlan = z.infer<typeof RepairPlan>

export const RepairPlanInput = z.object({
  conversationId: ConversationId.optional().describe('narrow to one conversation'),
})
export type RepairPlanInput = z.infer<typeof RepairPlanInput>

/** The folder of backups. The default is the folder of the file. */
export const BackupFolder = z
  .string()
  .optional()
  .meta({ description: 'where backups are (default: beside the file)', value: 'folder' })

export const RepairInput = z.object({
  /** The `fingerprint` of the previewed step. Without it the step is applied as it is now. */
  steps: z
    .array(z.object({ id: z.string(), fingerprint: z.string().optional() }))
    .min(1)
    .meta({ description: 'a step of the plan', examples: [{ id: 'coverage_gap:1' }] }),
  summarizer: SummarizerName,
  backupFolder: BackupFolder,
})
export type RepairInput = z.infer<typeof RepairInput>

/** A whole copy of the unchanged file, compared with it row by row. */
export const Backup = z.object({
  path: z.string(),
  bytes: z.int(),
  atMs: TimeMs,
})
export type Backup = z.infer<typeof Backup>

/** A check with more findings than before. */
export const Worse = z.object({ check: z.string(), before: z.int(), after: z.int() })
export type Worse = z.infer<typeof Worse>

export const RepairResult = z.object({
  /** Empty when it was rolled back. `chosen` is false for a step that another one depends on. */
  applied: z.array(z.object({ id: z.string(), rows: z.int(), chosen: z.boolean() })),
  /** Selected steps that could not be applied, with the reason. */
  skipped: z.array(z.object({ id: z.string(), reason: z.string() })),
  /** Null when nothing was to be written. */
  backup: Backup.nullable(),
  /** The checks that got worse, so that nothing was kept, or null when it was kept. */
  rolledBack: z.array(Worse).nullable(),
  /** The findings by check, for checks that had any before or after. */
  before: z.record(z.string(), z.int()),
  after: z.record(z.string(), z.int()),
  /** The steps that a new plan would have, including manual ones. */
  left: z.array(RepairStep),
  /** SHA-256 of every canonical row. It has to be the same before and after, or nothing is kept. */
  canonicalHash: z.string(),
  durationMs: z.number(),
})
export type RepairResult = z.infer<typeof RepairResult>

export const ExportFormat = z.enum(['markdown', 'sql']).describe('the form of the plan, with every row')
export type ExportFormat = z.infer<typeof ExportFormat>
/** A whole plan as a text to save. */
export const ExportedPlan = z.object({ format: ExportFormat, fileName: z.string(), text: z.string() })
export type ExportedPlan = z.infer<typeof ExportedPlan>
