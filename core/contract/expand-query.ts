import { z } from 'zod'
import { ConversationId, NodeId, Role, SummaryId, TimeMs } from './ids.ts'

/** What a program that reads for somebody else may get in all, whatever was asked or configured. */
export const MOST_AGENT_TOKENS = 8_000

export const ExpandQueryInput = z.object({
  /** The question. */
  prompt: z.string().min(1).max(10_000),
  /** Where to look: summaries, or without any what a search for `query` (or else the prompt) finds. */
  summaryIds: z.array(SummaryId).max(50).optional(),
  query: z.string().max(10_000).optional(),
  conversationId: ConversationId.optional(),
  /** Levels below those summaries that may be read. */
  depth: z.int().min(1).max(1000).default(8),
  /** Tokens of the memory that may be read for the answer; default: the configured limit. Never above 8,000. */
  tokenCap: z.int().min(1).max(MOST_AGENT_TOKENS).optional(),
  /** Who reads and answers: a configured provider, `chain`, or `deterministic`, which quotes the best passages. */
  summarizer: z.string().max(80).default('deterministic'),
})
export type ExpandQueryInput = z.infer<typeof ExpandQueryInput>
export type ExpandQueryRequest = z.input<typeof ExpandQueryInput>

/** Permission to read a little of a memory for a while; kept in memory only. */
export const Grant = z.object({
  id: z.string(),
  conversationIds: z.array(ConversationId),
  /** Nodes at and below which may be read; empty: everything in the conversations. */
  rootIds: z.array(NodeId),
  /** Levels below the roots. */
  depth: z.int(),
  tokenCap: z.int(),
  usedTokens: z.int(),
  /** Reads that were allowed, and how many are allowed in all. */
  calls: z.int(),
  mostCalls: z.int(),
  /** Reads that were refused. */
  refusals: z.int(),
  issuedAtMs: TimeMs,
  expiresAtMs: TimeMs,
  state: z.enum(['active', 'used_up', 'expired', 'revoked']),
  /** What was read under it, in order, each once. */
  readIds: z.array(NodeId),
})
export type Grant = z.infer<typeof Grant>

/** A source of the answer. */
export const ExpandCitation = z.object({
  id: NodeId,
  kind: z.enum(['message', 'leaf', 'condensed']),
  conversationId: ConversationId,
  seq: z.int().nullable(),
  role: Role.nullable(),
  createdAtMs: TimeMs.nullable(),
  /** Where in it: a text and UTF-16 units of that text, end exclusive. */
  field: z.enum(['content', 'tool_input', 'tool_output', 'reasoning']),
  part: z.int().nullable(),
  start: z.int(),
  end: z.int(),
  excerpt: z.string(),
})
export type ExpandCitation = z.infer<typeof ExpandCitation>

export const ExpandQueryResult = z.object({
  /** Ids of its sources stand in it in square brackets. */
  answer: z.string(),
  citations: z.array(ExpandCitation),
  /** Ids that a model named without having read them; they were taken out of the answer. */
  droppedIds: z.array(z.string()),
  /** Tokens of the memory that were read under the grant; never above its cap. */
  tokensUsed: z.int(),
  grant: Grant,
  /** The provider and model that answered; null when the answer is made of passages. */
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** Why a model that was asked for did not answer; null when it did, or none was asked for. */
  fallback: z.string().nullable(),
  /** Summaries and messages at which the reading began. */
  candidates: z.array(NodeId),
  /** There was more to read than the cap allowed. */
  truncated: z.boolean(),
  notes: z.array(z.string()),
  tookMs: z.number(),
})
export type ExpandQueryResult = z.infer<typeof ExpandQueryResult>
