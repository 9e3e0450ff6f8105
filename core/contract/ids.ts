import { z } from 'zod'
import { ROLES, SUMMARY_LEVELS } from './lists.ts'

/**
 * The row id of a conversation. Systems without integer ids have their sessions numbered in the order of first
 * appearance.
 */
export const ConversationId = z.int().nonnegative().describe('the conversation')
export type ConversationId = z.infer<typeof ConversationId>

/**
 * The address of anything in a memory: `msg_<number>` for messages, otherwise a summary or file id as stored. An id is
 * matched with messages first, then with summaries, then with files.
 */
export const NodeId = z.string().min(1).max(512).describe('a message, summary or file')
export type NodeId = z.infer<typeof NodeId>

export const SummaryId = z.string().min(1).max(512).describe('a summary')

const MOST_OF_A_TENANT = 200
export const TENANT_RULE = `the name of a tenant has 1 to ${MOST_OF_A_TENANT} characters, and no NUL among them`

/** The name of a tenant, as PostgreSQL can keep it. Its length is counted there in code points. */
export const TenantName = z
  .string()
  .min(1, { error: TENANT_RULE })
  .max(2 * MOST_OF_A_TENANT, { error: TENANT_RULE })
  .refine((name) => Array.from(name).length <= MOST_OF_A_TENANT && !name.includes('\0') && name.isWellFormed(), {
    error: TENANT_RULE,
  })

/** The input of a procedure about one conversation, and about one node. */
export const InConversation = z.object({ conversationId: ConversationId })
export const ById = z.object({ id: NodeId })

/** The newest messages, which are never compacted and always in the window. */
export const FreshTailCount = z
  .int()
  .min(0)
  .max(1_000_000)
  .optional()
  .describe('newest messages that are always in (default: the configured number)')

/** Milliseconds since 1970-01-01T00:00:00Z. */
export const TimeMs = z.number()

export const Role = z.enum(ROLES)
export type Role = z.infer<typeof Role>
export { ROLES }

export const SummaryKind = z.enum(['leaf', 'condensed'])
export type SummaryKind = z.infer<typeof SummaryKind>

/**
 * The level at which a summary was obtained, from best to last resort. It is `unknown` in files of systems that do not
 * record it.
 */
export const SummaryLevel = z.enum(SUMMARY_LEVELS)
export type SummaryLevel = z.infer<typeof SummaryLevel>

/**
 * How a node relates to what the model sees next turn: in the window itself, covered by a summary in it, or neither.
 */
export const Visibility = z.enum(['in_window', 'covered', 'absent'])
export type Visibility = z.infer<typeof Visibility>

export const PartType = z.enum([
  'text',
  'reasoning',
  'tool',
  'patch',
  'file',
  'subtask',
  'compaction',
  'step_start',
  'step_finish',
  'snapshot',
  'agent',
  'retry',
])
export type PartType = z.infer<typeof PartType>
