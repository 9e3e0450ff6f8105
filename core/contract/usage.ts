import { z } from 'zod'
import { InConversation, NodeId, TimeMs } from './ids.ts'

export const UsageInput = InConversation.extend({
  columns: z
    .int()
    .min(1)
    .max(4096)
    .default(1024)
    .describe('parts into which the answers are merged, if there are more'),
  limit: z.int().min(0).max(1000).default(50).describe('breaks to return, the most expensive first'),
})
export type UsageInput = z.infer<typeof UsageInput>

/**
 * Why a cached prefix was not used: the window was compacted or pruned, the provider had forgotten it, or another model
 * was asked. Null when the file does not tell.
 */
export const BreakCause = z.enum(['compaction', 'pause', 'model'])
export type BreakCause = z.infer<typeof BreakCause>

/** An answer for which less was read from the provider's prompt cache than the answer before had left there. */
export const CacheBreak = z.object({
  messageId: NodeId,
  /** The number of messages up to this one. */
  messages: z.int(),
  atMs: TimeMs.nullable(),
  /** The tokens that could have been read from the cache, and those that were. */
  expectedTokens: z.int(),
  cachedTokens: z.int(),
  cause: BreakCause.nullable(),
  /** The time since the answer before. */
  pauseMs: z.number().nullable(),
  /** What the answer cost, in the agent's currency, if it was recorded. */
  cost: z.number().nullable(),
})
export type CacheBreak = z.infer<typeof CacheBreak>

/** What answers of a model used, in their order. */
export const Usage = z.object({
  /** `cache`: what came from the cache is recorded. `tokens`: only how many tokens were sent. `none`: nothing. */
  recorded: z.enum(['none', 'tokens', 'cache']),
  /** Answers with recorded tokens. */
  steps: z.int(),
  /** Sums over them. Tokens written to the cache are null where no answer records them; costs likewise,
   * unless the agent notes what the whole session cost, with its sub-agents. */
  totals: z.object({
    inputTokens: z.int(),
    cachedTokens: z.int(),
    writtenTokens: z.int().nullable(),
    outputTokens: z.int(),
    cost: z.number().nullable(),
  }),
  /** One entry for each answer, or for several: the sums of their tokens. All arrays have the same length. */
  columns: z.object({
    /** The number of the first message. */
    firstMessage: z.array(z.int()),
    /** The number of messages up to the last one. */
    messages: z.array(z.int()),
    atMs: z.array(TimeMs.nullable()),
    steps: z.array(z.int()),
    inputTokens: z.array(z.int()),
    cachedTokens: z.array(z.int()),
    writtenTokens: z.array(z.int()),
    breaks: z.array(z.int()),
    /** Tokens that were sent again because of breaks. */
    lostTokens: z.array(z.int()),
    /** What the answers cost, and what those after a break did. Zero where no cost is recorded. */
    cost: z.array(z.number()),
    breakCost: z.array(z.number()),
  }),
  breaks: z.array(CacheBreak),
  breakCount: z.int(),
  /** Tokens that were sent again because of breaks. */
  lostTokens: z.int(),
})
export type Usage = z.infer<typeof Usage>
