import { z } from 'zod'
import { ConversationId, NodeId, TimeMs } from './ids.ts'

/**
 * `safe` rebuilds what follows from the rest of the file; `rewrite` changes derived content by a rule, which the step
 * names; `model` needs a summariser; `manual` cannot be done by the app: the step says what a person can do.
 */
export const RepairRisk = z.enum(['safe', 'rewrite', 'model', 'manual'])
export type RepairRisk = z.infer<typeof RepairRisk>

export const Cell = z.union([z.string(), z.number(), z.null()])
export type Cell = z.infer<typeof Cell>
export const Cells = z.record(z.string(), Cell)
export type Cells = z.infer<typeof Cells>

/** One row of a derived table. `before` null: it is added; `after` null: it is removed; else only what changes is named. */
export const RowChange = z.object({
  table: z.string(),
  key: Cells,
  before: Cells.nullable(),
  after: Cells.nullable(),
})
export type RowChange = z.infer<typeof RowChange>

export const RepairStep = z.object({
  /** The same for the same fault in every plan: check and conversation, `coverage_gap:3`, or the check alone. */
  id: z.string(),
  /** Ids of the checks whose findings it settles. */
  fixes: z.array(z.string()),
  /** Null: it concerns the file. */
  conversationId: ConversationId.nullable(),
  /** The first nodes that it is about, to jump to. */
  nodes: z.array(NodeId),
  title: z.string(),
  /** What changes, in a sentence with numbers, and by which rule. */
  description: z.string(),
  risk: RepairRisk,
  /** Rows that change; of an index, entries that are missing. */
  rows: z.int(),
  /** The first 200; `rows` counts all. */
  changes: z.array(RowChange),
  /** As a person could run them on a native file; the first 200. An export holds all. */
  sql: z.array(z.string()),
  /** What stays lost, in a sentence; null when nothing does. */
  cannotRestore: z.string().nullable(),
  /** Ids of steps that come first: choosing this one chooses them. */
  dependsOn: z.array(z.string()),
  /** Of every row that changes, before and after: given back when the step is applied, it proves that nothing moved. */
  fingerprint: z.string(),
})
export type RepairStep = z.infer<typeof RepairStep>

export const RepairPlan = z.object({
  /** Of all fingerprints. */
  planId: z.string(),
  madeAtMs: TimeMs,
  /** In the order in which they are applied. */
  steps: z.array(RepairStep),
  /** Why no step can be applied to this file, and what to do instead; null when steps can be applied. */
  onlyExport: z.string().nullable(),
  /** Findings by check that has any, expected states apart. */
  findings: z.record(z.string(), z.int()),
})
export type RepairPlan = z.infer<typeof RepairPlan>

export const RepairPlanInput = z.object({ conversationId: ConversationId.optional() })
export type RepairPlanInput = z.infer<typeof RepairPlanInput>

export const RepairInput = z.object({
  /** `fingerprint` of the step as it was shown; without it the step is applied as it is now. */
  steps: z.array(z.object({ id: z.string(), fingerprint: z.string().optional() })).min(1),
  /** For steps that need one. */
  summarizer: z.string().default('deterministic'),
  /** Folder of the backup. Default: beside the file. */
  backupFolder: z.string().optional(),
})
export type RepairInput = z.infer<typeof RepairInput>

/** A whole copy of the file as it was, checked against it row by row. */
export const Backup = z.object({
  path: z.string(),
  bytes: z.int(),
  atMs: TimeMs,
})
export type Backup = z.infer<typeof Backup>

/** A check that finds more than before. */
export const Worse = z.object({ check: z.string(), before: z.int(), after: z.int() })
export type Worse = z.infer<typeof Worse>

export const RepairResult = z.object({
  /** Empty when it was rolled back. `chosen` false: it came along because another depends on it. */
  applied: z.array(z.object({ id: z.string(), rows: z.int(), chosen: z.boolean() })),
  /** Steps that were chosen and could not be done, with the reason. */
  skipped: z.array(z.object({ id: z.string(), reason: z.string() })),
  /** Null when nothing was to be written. */
  backup: Backup.nullable(),
  /** What got worse, so that nothing was kept; null when it was kept. */
  rolledBack: z.array(Worse).nullable(),
  /** Findings by check, of those that had any before or after. */
  before: z.record(z.string(), z.int()),
  after: z.record(z.string(), z.int()),
  /** Steps that a new plan would have, manual ones too. */
  left: z.array(RepairStep),
  /** SHA-256 of every canonical row: the same before and after, or nothing would have been kept. */
  canonicalHash: z.string(),
  durationMs: z.number(),
})
export type RepairResult = z.infer<typeof RepairResult>

export const ExportFormat = z.enum(['markdown', 'sql'])
export type ExportFormat = z.infer<typeof ExportFormat>
/** A whole plan as a text to save. */
export const ExportedPlan = z.object({ format: ExportFormat, fileName: z.string(), text: z.string() })
export type ExportedPlan = z.infer<typeof ExportedPlan>
