import { z } from 'zod'

/** What a working copy holds, and that it is the same as its original. */
export const CopyReport = z.object({
  messages: z.int(),
  summaries: z.int(),
  /** From summaries to messages and to other summaries. */
  edges: z.int(),
  contextItems: z.int(),
  /** Counts, contents, lineage and window were compared row by row. */
  verified: z.literal(true),
})
export type CopyReport = z.infer<typeof CopyReport>
