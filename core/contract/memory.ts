import { z } from 'zod'
import { ConversationId, TimeMs } from './ids.ts'
import { PrunedRun } from './message.ts'

/** Which LCM system wrote the file: `native`, or the id of a foreign one, such as `lossless-claw`. */
export const SystemId = z.string().min(1).max(40)
export type SystemId = z.infer<typeof SystemId>

/** What the file can answer. A missing table is an empty view plus `false` here, which the window explains. */
export const Capabilities = z.object({
  parts: z.boolean(),
  files: z.boolean(),
  runs: z.boolean(),
  storedWindow: z.boolean(),
  /** By which rule the window is worked out where the file stores none: a sentence. Absent where it is stored. */
  derivedWindow: z.string().optional(),
  /** False where the order of a summary's sources is not recorded, and is that of the history. Absent: it is. */
  sourceOrder: z.boolean().optional(),
  /**
   * False where the window is stored in another order than that of the history, by the system's own way and not by
   * damage: a new summary stands behind the newest message of its time. Absent: the orders are the same.
   */
  chronologicalWindow: z.boolean().optional(),
  /** False where the contents of large files are kept nowhere. Absent: they are, beside the memory. */
  fileContents: z.boolean().optional(),
  /**
   * True where summaries are made of the same messages again and again, also across conversations, and belong to no
   * window: overlap, and a summary without a dependent, are no damage. Absent: each message is summarised once.
   */
  freeSummaries: z.boolean().optional(),
  levels: z.boolean(),
  fullTextIndex: z.boolean(),
  substringIndex: z.boolean(),
})
export type Capabilities = z.infer<typeof Capabilities>

/** The file that a working copy was made of, as it was called then. */
export const CopiedFrom = z.object({
  system: SystemId,
  systemLabel: z.string().max(100),
  fileName: z.string().max(255),
})
export type CopiedFrom = z.infer<typeof CopiedFrom>

export const MemoryInfo = z.object({
  path: z.string(),
  fileName: z.string(),
  system: SystemId,
  systemLabel: z.string(),
  systemVersion: z.string().nullable(),
  readOnly: z.boolean(),
  /** A sentence for people; null when the file may be written. */
  readOnlyReason: z.string().nullable(),
  /**
   * How the bytes are reached. In place beside other writers; otherwise as they were when the file was opened: in place
   * while nobody writes (`at_rest`), or through an image or copy that leaves no trace beside the file.
   */
  access: z.enum(['in_place', 'at_rest', 'memory_image', 'cache_copy']),
  capabilities: Capabilities,
  /** Of what a native file is the working copy; absent where it is none. */
  copiedFrom: CopiedFrom.optional(),
  /** The folder of the project that the file belongs to, where it says so. */
  project: z.string().nullable().optional(),
  /** What files of this system and version do not record, a sentence each; absent where nothing is known to lack. */
  lacks: z.array(z.string()).optional(),
  bytes: z.int(),
  modifiedAtMs: TimeMs,
})
export type MemoryInfo = z.infer<typeof MemoryInfo>

export const ConversationRow = z.object({
  conversationId: ConversationId,
  sessionId: z.string(),
  title: z.string().nullable(),
  messages: z.int(),
  summaries: z.int(),
  /** −1 when there is no summary. */
  maxDepth: z.int(),
  /** Active items: the entries of the context list. */
  contextItems: z.int(),
  storedTokens: z.int(),
  /** Of the active items, whether or not they fit into the budget. */
  activeTokens: z.int(),
  /** Of the assembled window: of those active items that go to the model under the configured budget. */
  contextTokens: z.int(),
  /** Active items that are left out of the assembled window, and their tokens. */
  leftOutItems: z.int(),
  leftOutTokens: z.int(),
  /** contextTokens ÷ configured token budget. */
  pressure: z.number(),
  createdAtMs: TimeMs.nullable(),
  /** Of the last change of any kind: a message, a summary, a compaction, an operation by hand. */
  updatedAtMs: TimeMs.nullable(),
  /** When its system put it aside for a newer one of the same agent; null while it is in use. */
  archivedAtMs: TimeMs.nullable(),
  /** The conversation that spawned this one (sub-agents), where the file says so. */
  parentConversationId: ConversationId.nullable(),
  /** Not a conversation of anybody: a sentence that says what it is instead (a summariser's own run). Absent or null else. */
  internal: z.string().nullable().optional(),
})
export type ConversationRow = z.infer<typeof ConversationRow>

/**
 * A conversation in a list that does not wait until all texts of a large file were read over. Tokens and pressure are
 * null until they are known once, and from then on those of the newest reading.
 */
export const ListedConversation = ConversationRow.extend({
  storedTokens: z.int().nullable(),
  activeTokens: z.int().nullable(),
  contextTokens: z.int().nullable(),
  leftOutItems: z.int().nullable(),
  leftOutTokens: z.int().nullable(),
  pressure: z.number().nullable(),
})
export type ListedConversation = z.infer<typeof ListedConversation>

export const Stats = z.object({
  path: z.string(),
  system: SystemId,
  systemVersion: z.string().nullable(),
  readOnly: z.boolean(),
  bytes: z.int(),
  conversations: z.int(),
  messages: z.int(),
  messageParts: z.int(),
  summaries: z.int(),
  summariesByDepth: z.record(z.string(), z.int()),
  edges: z.object({ summaryMessages: z.int(), summaryParents: z.int() }),
  contextItems: z.int(),
  largeFiles: z.int(),
  perConversation: z.array(ConversationRow),
})
export type Stats = z.infer<typeof Stats>

/** One figure per message role or summary depth for the overview page. */
const Breakdown = z.object({
  key: z.string(),
  count: z.int(),
  tokens: z.int(),
  sourceTokens: z.int().nullable(),
})

export const Overview = z.object({
  conversation: ConversationRow,
  budgetTokens: z.int(),
  roles: z.array(Breakdown),
  depths: z.array(Breakdown),
  largestMessages: z.array(
    z.object({ id: z.string(), role: z.string(), tokens: z.int(), seq: z.int(), excerpt: z.string() }),
  ),
  runs: z.array(
    z.object({
      runId: z.string(),
      atMs: TimeMs,
      reason: z.string(),
      tokensBefore: z.int().nullable(),
      tokensAfter: z.int().nullable(),
      created: z.int(),
      stopReason: z.string().nullable(),
      /** Of a run by which an agent took outputs out of its window and put no summary in their place. */
      pruned: PrunedRun.optional(),
    }),
  ),
})
export type Overview = z.infer<typeof Overview>
