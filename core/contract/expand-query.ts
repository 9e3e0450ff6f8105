import { z } from 'zod'
import { ConversationId, NodeId, Role, SummaryId, TimeMs } from './ids.ts'
import { MOST_AGENT_TOKENS } from './lists.ts'
import { MessageEnds } from './retrieval.ts'

export const ExpandQueryInput = z.object({
  prompt: z.string().min(1).max(10_000).describe('the question'),
  summaryIds: z
    .array(SummaryId)
    .max(50)
    .optional()
    .describe('a summary to read (default: those that a search for the query finds)'),
  query: z.string().max(10_000).optional().describe('what to search for in place of the question'),
  conversationId: ConversationId.optional().describe('narrow to one conversation'),
  /** Only these messages, and summaries that cover any of them, are read. */
  ...MessageEnds.shape,
  depth: z.int().min(1).max(1000).default(8).describe('levels below those summaries that may be read'),
  tokenCap: z
    .int()
    .min(1)
    .max(MOST_AGENT_TOKENS)
    .optional()
    .describe('tokens of the memory to read at most (default: the configured number)'),
  summarizer: z
    .string()
    .max(80)
    .default('deterministic')
    .describe('who answers: deterministic (quotes the best passages), a configured provider, or chain'),
})
export type ExpandQueryInput = z.infer<typeof ExpandQueryInput>
export type ExpandQueryRequest = z.input<typeof ExpandQueryInput>

/**
 * The permission to read a part of a memory for a while. Those of questions end with the process. Those that were
 * issued are kept in the data folder of the app.
 */
export const Grant = z.object({
  id: z.string(),
  /** The path of the memory that an issued grant is for. */
  memory: z.string().optional(),
  /** The grant under which it was issued, which ends it, and for which all that is read with it counts. */
  under: z.string().optional(),
  conversationIds: z.array(ConversationId),
  /** The nodes at and below which may be read. When empty, everything in the conversations may be read. */
  rootIds: z.array(NodeId),
  /** The number of levels below the roots. */
  depth: z.int(),
  tokenCap: z.int(),
  usedTokens: z.int(),
  /** The number of allowed reads so far, and the limit. */
  calls: z.int(),
  mostCalls: z.int(),
  /** The number of refused reads. */
  refusals: z.int(),
  issuedAtMs: TimeMs,
  expiresAtMs: TimeMs,
  state: z.enum(['active', 'used_up', 'expired', 'revoked']),
  /** The ids that were read with it, in order, each once. */
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
  /** The place in the source: a text and UTF-16 units of that text, end exclusive. */
  field: z.enum(['content', 'tool_input', 'tool_output', 'reasoning']),
  part: z.int().nullable(),
  start: z.int(),
  end: z.int(),
  excerpt: z.string(),
  /** Where the excerpt has words of the question: UTF-16 ranges of it, end exclusive, in order. */
  matches: z.array(z.tuple([z.int(), z.int()])),
})
export type ExpandCitation = z.infer<typeof ExpandCitation>

export const ExpandQueryResult = z.object({
  /** The answer contains ids of its sources in square brackets. */
  answer: z.string(),
  citations: z.array(ExpandCitation),
  /** Ids that a model named without having read them. They were removed from the answer. */
  droppedIds: z.array(z.string()),
  /** The tokens of the memory that were read with the grant, never above its cap. */
  tokensUsed: z.int(),
  grant: Grant,
  /** The provider and model that answered, or null when the answer consists of passages. */
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** Why the requested model did not answer. Null when it did, or when none was requested. */
  fallback: z.string().nullable(),
  /** The summaries and messages at which reading began. */
  candidates: z.array(NodeId),
  /** True when there was more to read than the cap allowed. */
  truncated: z.boolean(),
  notes: z.array(z.string()),
  tookMs: z.number(),
})
export type ExpandQueryResult = z.infer<typeof ExpandQueryResult>
