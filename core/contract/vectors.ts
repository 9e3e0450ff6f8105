import { z } from 'zod'

/** What a run that makes vectors is asked. */
export const EmbedInput = z.object({
  maxTexts: z
    .int()
    .min(1)
    .max(100_000_000)
    .optional()
    .describe('pieces of text to send at most (default: LCM_EMBEDDINGS_MAX_TEXTS)'),
})
export type EmbedInput = z.infer<typeof EmbedInput>

export const EmbedResult = z.object({
  /**
   * `ready`: every text has its vectors. `cap`: the run has sent as much as it may, and the next one goes on. `busy`:
   * another process makes vectors. `too_large`: there is no more room in the cache.
   */
  outcome: z.enum(['ready', 'cap', 'busy', 'too_large']),
  provider: z.string(),
  model: z.string(),
  dimensions: z.int(),
  /** The pieces of text that were sent. */
  sent: z.int(),
  /** Those of them that the model refused. */
  refused: z.int(),
  /** The messages and summaries that have vectors now, and those that could have. */
  texts: z.int(),
  totalTexts: z.int(),
  bytes: z.int(),
})
export type EmbedResult = z.infer<typeof EmbedResult>

/** Which texts of the open memory have vectors, so that questions find them by what they say. */
export const VectorStatus = z.object({
  /** The configured provider and its model. Null when none is named: questions are answered by their words. */
  provider: z.string().nullable(),
  model: z.string().nullable(),
  texts: z.int(),
  totalTexts: z.int(),
  /** The size of all vectors of the model in the cache, those of other memories included. */
  bytes: z.int(),
})
export type VectorStatus = z.infer<typeof VectorStatus>
