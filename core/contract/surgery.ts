import { z } from 'zod'
import { ConversationId, NodeId, SummaryKind, SummaryLevel, TimeMs } from './ids.ts'
import { Backup, RowChange, Worse } from './repair.ts'

/** What can be done to one node. Its texts and links change, messages never do. */
export const SurgeryOperation = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('rewrite'),
    id: NodeId,
    /** Everything beneath it too, from the leaves up. */
    subtree: z.boolean().default(false),
    summarizer: z.string().default('deterministic'),
    /** Text of a prompt template (see docs/models.md) in place of the configured ones; null: those. */
    prompt: z.string().max(100_000).nullable().default(null),
    /** Tokens to aim at; null: the configured target of its depth. */
    targetTokens: z.int().min(1).nullable().default(null),
  }),
  z.object({ kind: z.literal('dissolve'), id: NodeId }),
  z.object({ kind: z.literal('transplant'), id: NodeId, toConversationId: ConversationId }),
])
export type SurgeryOperation = z.infer<typeof SurgeryOperation>
export type SurgeryRequest = z.input<typeof SurgeryOperation>

/** A line of a comparison; `same` lines stand once. */
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
  /** Tokens of what it is made from directly: the new text takes fewer. */
  sourceTokens: z.int(),
  before: Text,
  after: Text,
  diff: z.array(DiffLine),
  /** Hash of the node and of its sources when the text was made. */
  madeFrom: z.string(),
})
export type RewrittenNode = z.infer<typeof RewrittenNode>

/** A stretch of a window that is replaced by another. */
export const WindowChange = z.object({
  conversationId: ConversationId,
  removed: z.array(NodeId),
  placed: z.array(NodeId),
  tokensBefore: z.int(),
  tokensAfter: z.int(),
})
export type WindowChange = z.infer<typeof WindowChange>

export const SurgeryPreview = z.object({
  /** Of everything that would be written: given back, exactly this is done or nothing. */
  previewId: z.string(),
  operation: SurgeryOperation,
  title: z.string(),
  /** What changes, in a sentence with numbers. */
  description: z.string(),
  /** Of a rewrite, in the order in which they are written: sources before what is made from them. */
  nodes: z.array(RewrittenNode),
  /** Nodes whose text stays although it was to be rewritten, with the reason. */
  kept: z.array(z.object({ id: NodeId, reason: z.string() })),
  /** Null when the window keeps its entries. */
  window: WindowChange.nullable(),
  /** Of a transplant: new nodes by the nodes that they are copies of. */
  copies: z.array(z.object({ from: NodeId, to: NodeId })),
  /** Copies of messages that the target conversation gets. */
  messages: z.int(),
  rows: z.int(),
  /** The first 200. */
  changes: z.array(RowChange),
  warnings: z.array(z.string()),
  /** What was sent to and received from models for it. */
  modelTokens: z.object({ input: z.int(), output: z.int() }),
})
export type SurgeryPreview = z.infer<typeof SurgeryPreview>

export const SurgeryInput = z.object({
  operation: SurgeryOperation,
  /** As shown. Without it what would be shown now is done. */
  previewId: z.string().optional(),
  /** Of the preview of a rewrite: these texts are written, no model is asked again. */
  nodes: z.array(RewrittenNode).optional(),
  backupFolder: z.string().optional(),
})
export type SurgeryInput = z.infer<typeof SurgeryInput>

export const SurgeryResult = z.object({
  operation: SurgeryOperation,
  /** What was done, as it was previewed. */
  preview: SurgeryPreview,
  /** Null when nothing was to be written. */
  backup: Backup.nullable(),
  /** What got worse, so that nothing was kept; null when it was kept. */
  rolledBack: z.array(Worse).nullable(),
  canonicalHash: z.string(),
  durationMs: z.number(),
})
export type SurgeryResult = z.infer<typeof SurgeryResult>

export const UndoInput = z.object({
  /** Path of a backup, or the name of one that stands beside the file. */
  backup: z.string().min(1),
  backupFolder: z.string().optional(),
})
export type UndoInput = z.infer<typeof UndoInput>

export const UndoResult = z.object({
  restored: Backup,
  /** Of the file as it was before it was restored: undoes the undoing. */
  backup: Backup,
  /** Rows by table that differ from what was there. */
  rows: z.record(z.string(), z.int()),
  /** Messages that came after the backup: they stay, and are in their windows. */
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
