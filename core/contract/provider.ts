import { z } from 'zod'
import { PROVIDER_KINDS } from './lists.ts'

/**
 * A model that writes summaries, or turns texts into vectors. The key is never part of it, but in the environment or in
 * the key store.
 */
export const ProviderSettings = z.object({
  /** The name for `--summarizer` and the chain. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  kind: z.enum(PROVIDER_KINDS),
  baseUrl: z.url({ protocol: /^https?$/ }),
  model: z.string().min(1).max(200),
  /** The environment variable with the key. With null, only the key store is asked. */
  keyVariable: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/)
    .nullable(),
  timeoutMs: z.int().min(100).max(600_000),
  /** A model that makes vectors does not need it. */
  maxOutputTokens: z.int().min(16).max(100_000),
  /** The price of a million tokens in the user's currency, or null when it is unknown. */
  inputPrice: z.number().min(0).nullable(),
  outputPrice: z.number().min(0).nullable(),
})
export type ProviderSettings = z.infer<typeof ProviderSettings>

export const ProviderInfo = ProviderSettings.extend({
  /** Says where the key comes from, and never contains the key. `none` is right for local servers. */
  keySource: z.enum(['environment', 'key_store', 'none']),
})
export type ProviderInfo = z.infer<typeof ProviderInfo>

export const ProviderTest = z.object({
  ok: z.boolean(),
  model: z.string(),
  durationMs: z.number(),
  /** How many numbers its vectors have, when it makes vectors. */
  dimensions: z.int().optional(),
  /** What went wrong and what to do, or null when all is well. It contains no key. */
  problem: z.string().nullable(),
})
export type ProviderTest = z.infer<typeof ProviderTest>
