import { join } from 'node:path'
import type { ProviderSettings } from '#core/contract/provider.ts'
import { GrepInput, type GrepRequest, type GrepResult } from '#core/contract/retrieval.ts'
import type { EmbedInput, EmbedResult } from '#core/contract/vectors.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { NEVER } from '#test/models/summarizers/ask-model.ts'
import { encoder } from './encoder-server.ts'

export const newCache = (): string => join(temporaryFolder(), 'cache')

type Spec = {
  readonly cacheDir?: string
  readonly provider?: Partial<ProviderSettings>
  readonly spendCapTokens?: number | null
}

/** Opens a memory whose questions are answered with the model of a server. */
export function openWith(
  path: string,
  url: string,
  { cacheDir = newCache(), provider = {}, spendCapTokens = null }: Spec = {},
): Promise<Lcm> {
  const providers = [encoder(url, provider)]
  const models = { providers, chain: [], spendCapTokens, promptsDir: null }
  return openLcm(path, { readOnly: true, cacheDir, settings: readSettings({ LCM_EMBEDDINGS: 'encoder' }, models) })
}

/** Makes vectors and returns the result. */
export const embed = (lcm: Lcm, input: EmbedInput = {}, signal: AbortSignal = NEVER): Promise<EmbedResult> =>
  runToEnd(lcm.meaning.make(input, signal))

export const ask = (lcm: Lcm, query: string, more: Omit<GrepRequest, 'query'> = {}): Promise<GrepResult> =>
  lcm.retrieval.grep(GrepInput.parse({ query, match: 'question', explain: true, ...more }))

export const idsOf = ({ hits }: GrepResult): string[] => hits.map(({ id }) => id)
