import { z } from 'zod'
import { FamilyRelation } from './family.ts'
import { ConversationId, InConversation, TenantName, TimeMs } from './ids.ts'
import { CONVERSATION_SORTS } from './lists.ts'
import { PrunedRun } from './message.ts'

/** The system that wrote the file: `native`, or the id of a foreign one, such as `lossless-claw`. */
export const SystemId = z.string().min(1).max(40)
export type SystemId = z.infer<typeof SystemId>

/** What the file can answer. A missing table is an empty view and `false` here, which the window explains. */
export const Capabilities = z.object({
  parts: z.boolean(),
  files: z.boolean(),
  runs: z.boolean(),
  storedWindow: z.boolean(),
  /**
   * The rule by which the window is derived when the file stores none, as a sentence. Absent when the window is stored.
   */
  derivedWindow: z.string().optional(),
  /**
   * False when the order of a summary's sources is not recorded and follows the history. Absent when it is recorded.
   */
  sourceOrder: z.boolean().optional(),
  /**
   * False when the window is stored in another order than the history, by design of the system: a new summary is placed
   * after the newest message of its time. Absent when the orders are equal.
   */
  chronologicalWindow: z.boolean().optional(),
  /** False when the contents of large files are not stored. Absent when they are, beside the memory. */
  fileContents: z.boolean().optional(),
  /**
   * True when summaries are made of the same messages repeatedly, also across conversations, and belong to no window,
   * so that overlaps and summaries without a dependent are no damage. Absent when each message is summarised once.
   */
  freeSummaries: z.boolean().optional(),
  levels: z.boolean(),
  fullTextIndex: z.boolean(),
  substringIndex: z.boolean(),
})
export type Capabilities = z.infer<typeof Capabilities>

/** The file from which a working copy was made, with its name at that time. */
export const CopiedFrom = z.object({
  system: SystemId,
  systemLabel: z.string().max(100),
  fileName: z.string().max(255),
})
export type CopiedFrom = z.infer<typeof CopiedFrom>

/** From where a native file was pulled, and how often something was written there until then. */
export const PulledFrom = z.object({
  /** The address of the database without a password. */
  address: z.string().max(8000),
  tenant: TenantName,
  conversationId: ConversationId,
  /** The system that keeps it there; absent for ours. */
  system: SystemId.optional(),
  parentId: ConversationId.nullable(),
  /** Contents of large files are fetched when they are asked for. Absent where all were fetched. */
  contents: z.literal('on_demand').optional(),
  appends: z.int(),
  changes: z.int(),
})
export type PulledFrom = z.infer<typeof PulledFrom>

export const MemoryInfo = z.object({
  path: z.string(),
  fileName: z.string(),
  system: SystemId,
  systemLabel: z.string(),
  systemVersion: z.string().nullable(),
  readOnly: z.boolean(),
  /** A sentence for people, or null when the file can be written. */
  readOnlyReason: z.string().nullable(),
  /**
   * How the file is read: in place beside other writers, in place while nobody writes (`at_rest`), or through an image
   * or copy of the opened state. None of them changes anything beside the file.
   */
  access: z.enum(['in_place', 'at_rest', 'memory_image', 'cache_copy']),
  capabilities: Capabilities,
  /** The origin of a native file that is a working copy. Absent for others. */
  copiedFrom: CopiedFrom.optional(),
  /**
   * The origin of a native file that was pulled from PostgreSQL. Absent for others. The conversation that spawned it is
   * not in the file; its id is `parentId`. Contents of large files may be on the server still (`contents`).
   */
  pulledFrom: PulledFrom.pick({
    address: true,
    tenant: true,
    conversationId: true,
    parentId: true,
    contents: true,
  }).optional(),
  /** The project folder of the file, when the file names it. */
  project: z.string().nullable().optional(),
  /**
   * What files of this system and version do not record, one sentence each. Absent when nothing is known to be missing.
   */
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
  /** The number of active items, which are the entries of the context list. */
  contextItems: z.int(),
  storedTokens: z.int(),
  /** The tokens of the active items, whether or not they fit into the budget. */
  activeTokens: z.int(),
  /** The tokens of the assembled window: of the active items that go to the model under the token budget. */
  contextTokens: z.int(),
  /** The active items that are left out of the assembled window, and their tokens. */
  leftOutItems: z.int(),
  leftOutTokens: z.int(),
  /** `contextTokens` ÷ the token budget: that of the file, or else the configured one. */
  pressure: z.number(),
  /** The token budget that the file itself names for this conversation. Absent where it names none. */
  ownBudgetTokens: z.int().optional(),
  createdAtMs: TimeMs.nullable(),
  /** The time of the last change of any kind: a message, a summary, a compaction, or an operation by hand. */
  updatedAtMs: TimeMs.nullable(),
  /** The time at which its system replaced it by a newer one of the same agent, or null while it is in use. */
  archivedAtMs: TimeMs.nullable(),
  /** The conversation that started this one (sub-agents), when the file names it. */
  parentConversationId: ConversationId.nullable(),
  /**
   * Says what it is instead of a conversation of the user, for example a run of a summariser. Absent or null for
   * others.
   */
  internal: z.string().nullable().optional(),
})
export type ConversationRow = z.infer<typeof ConversationRow>

/**
 * A conversation in a list that does not wait until all texts of a large file were read. Tokens and pressure are null
 * until they are known, and afterwards those of the newest reading.
 */
export const ListedConversation = ConversationRow.extend({
  storedTokens: z.int().nullable(),
  activeTokens: z.int().nullable(),
  contextTokens: z.int().nullable(),
  leftOutItems: z.int().nullable(),
  leftOutTokens: z.int().nullable(),
  pressure: z.number().nullable(),
  /** When it was compacted last: the start of its last run, or the time of its newest summary. Only if asked for. */
  compactedAtMs: TimeMs.nullable().optional(),
  /**
   * Stands in for a missing title: what a person said first in the conversation, as one line. Absent when there is a title,
   * and when none of the first few messages is a person's.
   */
  firstWords: z.string().optional(),
  /** What the last check of this session found in it. Absent before a check, or if not asked for. */
  findings: z.object({ error: z.int(), warning: z.int() }).optional(),
  /**
   * Its place in its family: whether it was forked or started by the conversation above it, and how many of its
   * ancestors are in the list. Only if asked for, and absent for one that came from no other.
   */
  family: z.object({ relation: FamilyRelation, depth: z.int() }).optional(),
})
export type ListedConversation = z.infer<typeof ListedConversation>

export const ConversationsInput = z.object({
  conversationIds: z.array(ConversationId).max(1000).optional().describe('only these'),
  parentConversationId: ConversationId.optional().describe('only those that this conversation started'),
  query: z.string().max(200).default('').describe('words that the title, the session or the number has to hold'),
  internal: z
    .enum(['shown', 'hidden'])
    .default('shown')
    .describe('conversations of the memory system with itself, which come last'),
  sort: z
    .enum(CONVERSATION_SORTS)
    .default('change')
    .describe(
      'which come first: changed last, most tokens, fullest windows, most messages, compacted last, most findings, or the one that a window opens with',
    ),
  reversed: z.boolean().default(false).describe('the other end of the order first'),
  only: z
    .enum(['all', 'compacted', 'findings', 'archived'])
    .default('all')
    .describe('only those that were compacted, in which the last check found something, or that were replaced'),
  minPressure: z.number().min(0).optional().describe('only those whose windows are at least so full'),
  families: z
    .boolean()
    .default(false)
    .describe(
      'as trees: forks and sub-agents stand behind what they came from, whose family has the place of its first',
    ),
  health: z.boolean().default(false).describe('also when each was compacted last, and what the last check found'),
  limit: z.int().min(1).max(1000).default(200).describe('conversations a page'),
  cursor: z.string().optional().describe('go on from an earlier answer'),
})
export type ConversationsInput = z.infer<typeof ConversationsInput>
export type ConversationSort = ConversationsInput['sort']

export const ConversationPage = z.object({
  conversations: z.array(ListedConversation),
  nextCursor: z.string().nullable(),
  /** The number of conversations that were asked for, on whichever page. */
  found: z.int(),
  /** How many of those would be internal, if internal ones are shown. */
  internal: z.int(),
  /** The number of conversations of the memory. */
  total: z.int(),
})
export type ConversationPage = z.infer<typeof ConversationPage>

/** What all conversations of a file hold and cost together. */
export const ConversationTotals = z.object({
  messages: z.int(),
  /** Null until all of them are measured. */
  storedTokens: z.int().nullable(),
  /** The tokens of their assembled windows. */
  contextTokens: z.int().nullable(),
  /** What their answers cost, in the agent's currency. Null when no answer records it. */
  cost: z.number().nullable(),
})
export type ConversationTotals = z.infer<typeof ConversationTotals>

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

/** One figure for each message role or summary depth of the overview. */
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
      /** Set for a run in which an agent removed outputs from its window without a summary. */
      pruned: PrunedRun.optional(),
    }),
  ),
})
export type Overview = z.infer<typeof Overview>

export const ShareInput = InConversation.extend({
  isSanitized: z.boolean().default(true).describe('replace keys, tokens, e-mail addresses and paths'),
  withNotes: z.boolean().default(false).describe('also what you pinned and noted'),
})
export type ShareInput = z.infer<typeof ShareInput>

/** The next piece of the page. */
export const SharedPiece = z.object({ html: z.string() })
export type SharedPiece = z.infer<typeof SharedPiece>
