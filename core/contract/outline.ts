import { z } from 'zod'
import { ConversationId, TimeMs } from './ids.ts'
import { NodeCard } from './lineage.ts'

/** What somebody asks who knows no id yet. */
export const OutlineInput = z.object({
  conversationId: ConversationId.optional().describe(
    'the conversation (default: the one of the user that changed last)',
  ),
  section: z
    .enum(['overview', 'recent', 'earliest'])
    .default('overview')
    .describe('the topmost summaries, or the leaves and messages at one end'),
  contentChars: z.int().min(0).default(20_000).describe('characters of each summary'),
})
export type OutlineInput = z.infer<typeof OutlineInput>

const OutlinedConversation = z.object({
  conversationId: ConversationId,
  title: z.string().nullable(),
  messages: z.int(),
  summaries: z.int(),
  /** −1 when there is no summary. */
  maxDepth: z.int(),
  createdAtMs: TimeMs.nullable(),
  updatedAtMs: TimeMs.nullable(),
})

export const Outline = z.object({
  section: OutlineInput.shape.section,
  /** Null when the memory holds no conversation. */
  conversation: OutlinedConversation.nullable(),
  /** The conversations of the memory, the one that changed last first, and their number. */
  conversations: z.array(OutlinedConversation),
  conversationCount: z.int(),
  /** Figures and advice for an agent, which change only when summaries are made. */
  guidelines: z.array(z.string()),
  /** In the order of the history. */
  summaries: z.array(NodeCard.extend({ content: z.string(), contentChars: z.int() })),
  /** The number of summaries of the section, listed or not. */
  summaryCount: z.int(),
  /** In the order of the history. */
  messages: z.array(NodeCard),
})
export type Outline = z.infer<typeof Outline>

/** What an agent is told about its memory. */
export const Guidelines = z.object({
  /** The same text for every memory and at every time, for the system prompt. */
  preamble: z.string(),
  /** Figures and advice, which change only when summaries are made. Empty before the first summary. */
  guidelines: z.array(z.string()),
})
export type Guidelines = z.infer<typeof Guidelines>
