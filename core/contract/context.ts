import { z } from 'zod'
import { ConversationId, FreshTailCount, NodeId, Role, TimeMs } from './ids.ts'
import { Pruned } from './message.ts'

const BudgetTokens = z.int().min(1).max(100_000_000)

export const AssembleInput = z.object({
  conversationId: ConversationId,
  budgetTokens: BudgetTokens.optional().describe('token budget (default: the configured one)'),
  /** The same, as hosts call it. `budgetTokens` counts first. */
  tokenBudget: BudgetTokens.optional().describe('the same, as hosts call it'),
  freshTailCount: FreshTailCount,
  query: z.string().max(10_000).optional().describe('rank older items by relevance to this'),
  resumed: z
    .boolean()
    .optional()
    .describe('only what the agent would load when the session is resumed: less, where its chain of records breaks'),
})
export type AssembleInput = z.infer<typeof AssembleInput>

/** Why an item is included or left out. `text` is the sentence for people. */
export const ItemReason = z.enum([
  'always_in',
  'fresh_tail',
  'pair_of_included',
  'fits_recency',
  'fits_relevance',
  'out_of_budget',
  'pair_out_of_budget',
  'orphan_result',
  'not_sent',
  'dangling',
])
export type ItemReason = z.infer<typeof ItemReason>

export const ContextItem = z.object({
  /** The place in the window, from 0. */
  ordinal: z.int(),
  id: NodeId,
  kind: z.enum(['message', 'leaf', 'condensed', 'missing']),
  role: Role.nullable(),
  depth: z.int().nullable(),
  seq: z.int().nullable(),
  /** The tokens of what the model sees of the item, without what its agent has pruned. */
  tokens: z.int(),
  included: z.boolean(),
  reasonCode: ItemReason,
  reason: z.string(),
  /** The number of messages that it covers. */
  messages: z.int(),
  createdAtMs: TimeMs.nullable(),
  excerpt: z.string(),
  /** What its agent removed from it without a summary. `tokens` of the item leaves that out. */
  pruned: Pruned.optional(),
  /** Of a fork: the conversation to which the item belongs, which the fork sees without having it. */
  conversationId: ConversationId.optional(),
})
export type ContextItem = z.infer<typeof ContextItem>

/** What the agent would load of a window when the session is resumed, because the chain of its records breaks. */
export const Resume = z.object({
  /** The line of the transcript at which the agent stops. */
  line: z.int(),
  /** What the record in that line names as its parent. */
  parentId: z.string(),
  /** The number of places at which the chain breaks. */
  breaks: z.int(),
  /** The transcript. */
  path: z.string(),
  /** The first message after the break. */
  firstId: NodeId,
  /** Entries of the window that are sent: messages and summaries. */
  messages: z.int(),
  /** Those among them that a resume would load. */
  loaded: z.int(),
  /** The sentence for people, without a full stop. */
  text: z.string(),
})
export type Resume = z.infer<typeof Resume>

export const AssembledContext = z.object({
  conversationId: ConversationId,
  /** The tokens of the included items. */
  tokens: z.int(),
  /** The tokens of all active items, included or not. */
  activeTokens: z.int(),
  /** `activeTokens` − `tokens`. */
  leftOutTokens: z.int(),
  /**
   * The tokens that the agent pruned from messages of the window, which no figure here counts. Absent when there are
   * none.
   */
  prunedTokens: z.int().optional(),
  /**
   * What the agent sends besides the items: further copies of results, since it resumed the session. No figure here
   * counts it. Absent when there is nothing.
   */
  sentAgain: z.object({ results: z.int(), tokens: z.int() }).optional(),
  budget: z.int(),
  /** `tokens` ÷ `budget`. */
  pressure: z.number(),
  softThreshold: z.number(),
  hardThreshold: z.number(),
  freshTailCount: z.int(),
  /** True when the fresh tail and the system messages alone exceed the budget. */
  overBudget: z.boolean(),
  items: z.array(ContextItem),
  /** Indexes into `items` in the order of the history. Absent when the window has that order itself. */
  historyOrder: z.array(z.int()).optional(),
  reconstructed: z.boolean(),
  /** Present when a resume would load less than this window, and in the window that it would load. */
  resume: Resume.optional(),
})
export type AssembledContext = z.infer<typeof AssembledContext>

export const Provider = z.enum(['anthropic', 'openai']).describe('the provider whose form the payload has')
export type Provider = z.infer<typeof Provider>

/** Exactly what would be sent. `messages` is provider-shaped JSON. */
export const RenderedContext = z.object({
  provider: Provider,
  system: z.string().nullable(),
  messages: z.array(z.record(z.string(), z.unknown())),
})
export type RenderedContext = z.infer<typeof RenderedContext>
