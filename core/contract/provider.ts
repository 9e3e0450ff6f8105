import { z } from 'zod'

/** How a provider is spoken to. */
const ProviderKind = z.enum(['openai-compatible', 'anthropic'])

/** A model that writes summaries. The key is never part of it: it stands in the environment or in the key store. */
export const ProviderSettings = z.object({
  /** What `--summarizer` and the chain call it. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  kind: ProviderKind,
  baseUrl: z.url({ protocol: /^https?$/ }),
  model: z.string().min(1).max(200),
  /** Environment variable that holds the key; null looks in the key store only. */
  keyVariable: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/)
    .nullable(),
  timeoutMs: z.int().min(100).max(600_000),
  maxOutputTokens: z.int().min(16).max(100_000),
  /** Per million tokens, in the currency that the user thinks in; null when not known. */
  inputPrice: z.number().min(0).nullable(),
  outputPrice: z.number().min(0).nullable(),
})
export type ProviderSettings = z.infer<typeof ProviderSettings>

export const ProviderInfo = ProviderSettings.extend({
  /** Where the key comes from; never the key. `none` is fine for local servers. */
  keySource: z.enum(['environment', 'key_store', 'none']),
})
export type ProviderInfo = z.infer<typeof ProviderInfo>

export const ProviderTest = z.object({
  ok: z.boolean(),
  model: z.string(),
  durationMs: z.number(),
  /** What went wrong and what to do; null when all is well. Holds no key. */
  problem: z.string().nullable(),
})
export type ProviderTest = z.infer<typeof ProviderTest>
