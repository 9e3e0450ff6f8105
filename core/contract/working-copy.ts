import { z } from 'zod'

/** What a working copy holds, and what was compared to know that it is the same as its original. */
export const CopyReport = z.object({
  messages: z.int(),
  summaries: z.int(),
  /** From summaries to messages and to other summaries. */
  edges: z.int(),
  contextItems: z.int(),
  /** Everything in `compared` and `searches` is the same in both, but for the rows that `adjusted` counts. */
  verified: z.literal(true),
  /** Row by row, every column by its hash. `rows`: of the original. */
  compared: z.array(z.object({ name: z.string(), what: z.string(), rows: z.int() })),
  /** Questions that both were asked and that both answered with the same hits. */
  searches: z.array(z.object({ query: z.string(), mode: z.enum(['full_text', 'literal', 'regex']), hits: z.int() })),
  /** What a native file cannot hold as the original has it, a sentence each: kept otherwise, or not kept. */
  adjusted: z.array(z.object({ what: z.string(), rows: z.int(), examples: z.array(z.string()) })),
})
export type CopyReport = z.infer<typeof CopyReport>
export type CopyAdjustment = CopyReport['adjusted'][number]
