import { z } from 'zod'
import { ConversationId } from './ids.ts'

/** How a conversation came from another one: it was forked from it, or started by it. */
export const FamilyRelation = z.enum(['fork', 'sub-agent'])
export type FamilyRelation = z.infer<typeof FamilyRelation>

/** The tokens and the cost that the agent itself records of answers. Null where no answer records it. */
export const RecordedUsage = z.object({
  /** Answers with recorded tokens. */
  steps: z.int(),
  /** With those from the cache. */
  inputTokens: z.int(),
  cachedTokens: z.int().nullable(),
  writtenTokens: z.int().nullable(),
  outputTokens: z.int(),
  /** In the agent's currency. Where the agent notes the cost of a whole session, that of its sub-agents is in it. */
  cost: z.number().nullable(),
})
export type RecordedUsage = z.infer<typeof RecordedUsage>

export const FamilyMember = z.object({
  conversationId: ConversationId,
  sessionId: z.string(),
  title: z.string().nullable(),
  /** Null for the first conversation of the family. */
  parentConversationId: ConversationId.nullable(),
  relation: FamilyRelation.nullable(),
  /** The number of its ancestors. */
  depth: z.int(),
  /** The messages that were said in it. */
  messages: z.int(),
  /** Copies among its rows of what was said in an ancestor. They are not counted in `messages` and `usage`. */
  copies: z.int(),
  usage: RecordedUsage,
})
export type FamilyMember = z.infer<typeof FamilyMember>

/** A conversation with all that were forked from it or started by it, however deep, as a tree in its order. */
export const Family = z.object({
  members: z.array(FamilyMember),
  /** Everything counted once. */
  messages: z.int(),
  usage: RecordedUsage,
})
export type Family = z.infer<typeof Family>
