import { z } from 'zod'

/** A copy of a transcript whose chain of records is whole. */
export const MendedTranscript = z.object({
  /** The transcript, which stays as it is. */
  path: z.string(),
  /** The copy. */
  to: z.string(),
  /** The lines that differ: each record names the one in the line `hangsOn` as its parent. */
  lines: z.array(z.object({ line: z.int(), hangsOn: z.int() })),
})
export type MendedTranscript = z.infer<typeof MendedTranscript>
