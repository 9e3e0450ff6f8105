import { z } from 'zod'
import { CompactionDecision, CompactionMode, CompactionResult, CompactionSettings, WithLoss } from './compaction.ts'
import { AssembledContext, ContextItem, Provider } from './context.ts'
import { ErrorInfo } from './error.ts'
import { ConversationId, FreshTailCount, NodeId, Role, TimeMs } from './ids.ts'

/** Either of the two names a conversation. */
const conversation = {
  sessionId: z.string().min(1).max(1_000).optional().describe('The session, as the agent names it.'),
  conversationId: ConversationId.optional().describe('The number of the conversation in the memory.'),
}

/**
 * A message as the APIs of OpenAI and Anthropic take it, with an id. Other fields of theirs may stay on it; one that is
 * unknown and not empty is refused by its name, because nothing of it would be stored.
 */
export const HostMessage = z.looseObject({
  id: z
    .string()
    .min(1)
    .max(400)
    .describe('What the agent knows the message by, unique in its session. A message is stored once for an id.'),
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()])
    .optional()
    .describe('A text or a list of blocks. It may be missing beside tool calls and parts.'),
  parts: z
    .array(z.looseObject({ type: z.string() }))
    .optional()
    .describe(
      'What else belongs to it: patch, snapshot, subtask, file, agent, retry as opencode writes them, or of any other type, kept as it is.',
    ),
  tool_calls: z.array(z.looseObject({})).optional().describe('Calls, in the form of OpenAI.'),
  tool_call_id: z.string().optional().describe('Of a message of the role tool: the call that it answers.'),
  createdAtMs: TimeMs.optional().describe('When it was said. Default: now.'),
})
export type HostMessage = z.infer<typeof HostMessage>

export const IngestInput = z
  .object({
    sessionId: z
      .string()
      .min(1)
      .max(1_000)
      .describe('The session. Storing its first messages creates the conversation.'),
    messages: z
      .array(HostMessage)
      .max(100_000)
      .optional()
      .describe('In their order, stored all together or not at all.'),
    entries: z
      .array(z.looseObject({ type: z.string(), id: z.string().min(1) }))
      .max(100_000)
      .optional()
      .describe(
        'Entries of a session of Pi as they are, in place of messages. They become the messages that an import of the session makes.',
      ),
    title: z.string().max(1_000).optional().describe('Default: the beginning of the first thing a user says.'),
    project: z
      .string()
      .max(4_000)
      .optional()
      .describe('What stays the same over several sessions: a project or working directory.'),
  })
  .refine(({ messages, entries }) => (messages === undefined) !== (entries === undefined), {
    path: ['messages'],
    message: 'Give either messages or entries',
  })
export type IngestInput = z.infer<typeof IngestInput>

export const IngestResult = z.object({
  conversationId: ConversationId,
  /** The number of messages that are new. A message with calls and results may be stored as several. */
  added: z.int(),
  alreadyThere: z.int(),
  /** The compaction that was begun because a threshold was reached, or null. */
  compactionJobId: z.string().nullable(),
})
export type IngestResult = z.infer<typeof IngestResult>

export const WindowInput = z.object({
  ...conversation,
  budgetTokens: z.int().min(1).max(100_000_000).optional().describe('Default: the configured budget.'),
  freshTailCount: FreshTailCount.describe('Default: as configured.'),
  query: z.string().max(10_000).optional().describe('Prefers what bears on it where not everything fits.'),
  provider: Provider.default('openai').describe('The form of the messages.'),
})
export type WindowInput = z.infer<typeof WindowInput>

/** What the model is to be sent next. */
export const WindowForModel = AssembledContext.pick({
  conversationId: true,
  tokens: true,
  activeTokens: true,
  leftOutTokens: true,
  budget: true,
  pressure: true,
  overBudget: true,
}).extend({
  provider: Provider,
  system: z.string().nullable(),
  messages: z.array(z.record(z.string(), z.unknown())),
  items: z.array(ContextItem.pick({ id: true, kind: true, tokens: true, included: true, reasonCode: true })),
  /** The compaction that this answer waited for because the hard threshold was reached. Null when none was needed. */
  compaction: z
    .object({ jobId: z.string(), state: z.enum(['done', 'failed', 'cancelled']), error: ErrorInfo.nullable() })
    .nullable(),
})
export type WindowForModel = z.infer<typeof WindowForModel>

export const HostCompactInput = z.object({
  ...conversation,
  ifNeeded: z
    .boolean()
    .default(false)
    .describe('Only when a threshold is reached, and no further than under it. The answer is null when none is.'),
  mode: CompactionMode.default('full'),
  targetTokens: z.int().min(1).optional().describe('The goal of untilUnder. Default: the soft threshold.'),
  summarizer: z.string().max(80).optional().describe('deterministic, a configured provider, or chain.'),
  settings: CompactionSettings.partial().optional().describe('These values before the configured ones.'),
  loss: WithLoss,
})
export type HostCompactInput = z.infer<typeof HostCompactInput>

export const RecallInput = z.object({
  ...conversation,
  query: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .describe(
      'What to remember: a question, or what the user has just said. Default: what left the window and stands nowhere ' +
        'in it any more, what is pinned first, a line each.',
    ),
  tokenCap: z.int().min(1).max(8_000).default(1_000).describe('The passages together have at most so many tokens.'),
  everywhere: z.boolean().default(false).describe('Also in other conversations of the memory.'),
})
export type RecallInput = z.infer<typeof RecallInput>

/** What is found for a query outside of the window. Without a query, `passages` is empty and `text` has everything. */
export const Recalled = z.object({
  /**
   * The passages between marks, to be put before the model; empty when nothing was found. When it comes back in a
   * message, `ingest` takes it out again, so that nothing is remembered twice.
   */
  text: z.string(),
  passages: z.array(
    z.object({
      id: NodeId,
      conversationId: ConversationId,
      role: Role.nullable(),
      createdAtMs: TimeMs.nullable(),
      text: z.string(),
    }),
  ),
  tokens: z.int(),
})
export type Recalled = z.infer<typeof Recalled>

export const StoredInput = z.object({
  ...conversation,
  limit: z.int().min(1).max(20_000).default(200).describe('The newest messages of the conversation, at most so many.'),
  textChars: z.int().min(0).max(20_000).default(0).describe('Of each message, the first so many characters.'),
})
export type StoredInput = z.infer<typeof StoredInput>

/** The newest messages of a session, the oldest of them first. Those that left the window are among them. */
export const StoredMessages = z.array(
  z.object({
    id: NodeId,
    /** The id that the host gave to the message. Null when it gave none. */
    externalId: z.string().nullable(),
    role: Role.nullable(),
    text: z.string(),
  }),
)
export type StoredMessages = z.infer<typeof StoredMessages>

export const HostStatusInput = z.object(conversation)
export type HostStatusInput = z.infer<typeof HostStatusInput>

export const HostStatus = z.object({
  path: z.string(),
  conversationId: ConversationId,
  sessionId: z.string(),
  title: z.string().nullable(),
  messages: z.int(),
  decision: CompactionDecision,
  /** Whether windows are compacted without being asked. */
  isAutomatic: z.boolean(),
  /** The compaction that is under way, or null. */
  compactionJobId: z.string().nullable(),
})
export type HostStatus = z.infer<typeof HostStatus>

/** What a program that runs an agent asks of its memory, beside the procedures of the contract. */
export const hostCalls = {
  ingest: { input: IngestInput, output: IngestResult },
  assemble: { input: WindowInput, output: WindowForModel },
  compact: { input: HostCompactInput, output: CompactionResult.nullable() },
  recall: { input: RecallInput, output: Recalled },
  stored: { input: StoredInput, output: StoredMessages },
  status: { input: HostStatusInput, output: HostStatus },
} as const
export type HostCalls = typeof hostCalls
