import { z } from 'zod'
import { SummarizerName } from './compaction.ts'
import { ConversationId, NodeId, SummaryId, SummaryKind, SummaryLevel, TimeMs } from './ids.ts'
import { Backup, BackupFolder, RowChange, Worse } from './repair.ts'

/** An operation on one node. It changes texts and links, and never messages. */
export const SurgeryOperation = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('rewrite'),
    id: SummaryId,
    subtree: z.boolean().default(false).describe('and everything below it, from the leaves up'),
    summarizer: SummarizerName,
    /** The text of a prompt template (see docs/models.md) instead of the configured ones, or null for those. */
    prompt: z.string().max(100_000).nullable().default(null),
    targetTokens: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .default(null)
      .describe('tokens to aim at (default: the configured target of its depth)'),
    /** The new text, written by a person. No summariser is called. */
    text: z.string().min(1).max(1_000_000).optional().describe('the new text itself, in place of a summariser'),
  }),
  z.object({ kind: z.literal('dissolve'), id: SummaryId }),
  z.object({
    kind: z.literal('transplant'),
    id: SummaryId,
    toConversationId: ConversationId.describe('the conversation that gets it'),
  }),
])
export type SurgeryOperation = z.infer<typeof SurgeryOperation>
export type SurgeryRequest = z.input<typeof SurgeryOperation>

/** A line of a comparison. `same` lines appear once. */
export const DiffLine = z.object({ kind: z.enum(['same', 'removed', 'added']), text: z.string() })
export type DiffLine = z.infer<typeof DiffLine>

const Text = z.object({
  text: z.string(),
  tokens: z.int(),
  level: SummaryLevel,
  model: z.string().nullable(),
  promptVersion: z.string().nullable(),
})

/** A node whose text is to be replaced. */
export const RewrittenNode = z.object({
  id: NodeId,
  kind: SummaryKind,
  depth: z.int(),
  /** The tokens of its direct sources. The new text takes fewer. */
  sourceTokens: z.int(),
  before: Text,
  after: Text,
  diff: z.array(DiffLine),
  /** A hash of the node and of its sources when the text was made. */
  madeFrom: z.string(),
})
export type RewrittenNode = z.infer<typeof RewrittenNode>

/** A range of a window that is replaced by another. */
export const WindowChange = z.object({
  conversationId: ConversationId,
  removed: z.array(NodeId),
  placed: z.array(NodeId),
  tokensBefore: z.int(),
  tokensAfter: z.int(),
})
export type WindowChange = z.infer<typeof WindowChange>

export const SurgeryPreview = z.object({
  /** A hash of everything that would be written. When it is sent back, exactly this is done or nothing. */
  previewId: z.string(),
  operation: SurgeryOperation,
  title: z.string(),
  /** Says what changes, in a sentence with numbers. */
  description: z.string(),
  /** The nodes of a rewrite in the order in which they are written: sources before their dependents. */
  nodes: z.array(RewrittenNode),
  /** Nodes that keep their text although a rewrite was requested, with the reason. */
  kept: z.array(z.object({ id: NodeId, reason: z.string() })),
  /** Null when the window keeps its entries. */
  window: WindowChange.nullable(),
  /** The copies of a transplant: new nodes with the nodes from which they were copied. */
  copies: z.array(z.object({ from: NodeId, to: NodeId })),
  /** The number of copied messages that the target conversation gets. */
  messages: z.int(),
  rows: z.int(),
  /** The first 200. */
  changes: z.array(RowChange),
  warnings: z.array(z.string()),
  /** The tokens that were sent to and received from models for it. */
  modelTokens: z.object({ input: z.int(), output: z.int() }),
})
export type SurgeryPreview = z.infer<typeof SurgeryPreview>

export const SurgeryInput = z.object({
  operation: SurgeryOperation.meta({ description: 'the operation', examples: [{ kind: 'dissolve', id: 'sum_1' }] }),
  previewId: z.string().optional().describe('of the preview; without it, what would be previewed now is done'),
  nodes: z
    .array(RewrittenNode)
    .optional()
    .describe('the texts of a previewed rewrite, which are written without asking a model again'),
  backupFolder: BackupFolder,
})
export type SurgeryInput = z.infer<typeof SurgeryInput>

export const SurgeryResult = z.object({
  operation: SurgeryOperation,
  /** What was done, as it was previewed. */
  preview: SurgeryPreview,
  /** Null when nothing was to be written. */
  backup: Backup.nullable(),
  /** The checks that got worse, so that nothing was kept, or null when it was kept. */
  rolledBack: z.array(Worse).nullable(),
  canonicalHash: z.string(),
  durationMs: z.number(),
})
export type SurgeryResult = z.infer<typeof SurgeryResult>

export const UndoInput = z.object({
  backup: z.string().min(1).meta({ description: 'path or name of a backup', value: 'backup' }),
  backupFolder: BackupFolder,
})
export type UndoInput = z.infer<typeof UndoInput>

export const UndoResult = z.object({
  restored: Backup,
  /** A backup of the file before it was restored, which undoes the undo. */
  backup: Backup,
  /** The number of rows by table that changed. */
  rows: z.record(z.string(), z.int()),
  /** The number of messages that came after the backup. They stay, and are in their windows. */
  keptMessages: z.int(),
  durationMs: z.number(),
})
export type UndoResult = z.infer<typeof UndoResult>

/** Something that was done to a memory by hand, as the file records it. */
export const SurgeryEvent = z.object({
  surgeryId: z.int(),
  conversationId: ConversationId,
  atMs: TimeMs,
  kind: z.enum(['rewrite', 'dissolve', 'transplant', 'repair', 'undo']),
  nodeId: NodeId.nullable(),
  owner: z.string(),
  /** A sentence for people. */
  summary: z.string(),
})
export type SurgeryEvent = z.infer<typeof SurgeryEvent>
