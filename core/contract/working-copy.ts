import { z } from 'zod'

/** Large texts of a working copy that stand in files. */
export const MovedTexts = z.object({
  /** The messages that refer to files now. */
  messages: z.int(),
  files: z.int(),
  bytes: z.int(),
})
export type MovedTexts = z.infer<typeof MovedTexts>

/** The content of a working copy, and what was compared to know that it equals its original. */
export const CopyReport = z.object({
  messages: z.int(),
  summaries: z.int(),
  /** The links from summaries to messages and to other summaries. */
  edges: z.int(),
  contextItems: z.int(),
  /** Everything in `compared` and `searches` is the same in both, except for the rows that `adjusted` counts. */
  verified: z.literal(true),
  /** What was compared row by row, every column by its hash. `rows` is the number in the original. */
  compared: z.array(z.object({ name: z.string(), what: z.string(), rows: z.int() })),
  /** Questions that both files answered with the same hits. */
  searches: z.array(z.object({ query: z.string(), mode: z.enum(['full_text', 'literal', 'regex']), hits: z.int() })),
  /** What a native file cannot hold as the original does, one sentence each. It is kept differently, or not kept. */
  adjusted: z.array(z.object({ what: z.string(), rows: z.int(), examples: z.array(z.string()) })),
  /** What was moved into files after everything was compared, when that was asked for. */
  largeTexts: MovedTexts.optional(),
})
export type CopyReport = z.infer<typeof CopyReport>
export type CopyAdjustment = CopyReport['adjusted'][number]
