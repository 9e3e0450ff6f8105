import { systemClock } from '#core/clock.ts'
import { isWriter } from '#core/contract/lists.ts'
import type { ProviderSettings, ProviderTest } from '#core/contract/provider.ts'
import { checkedVectors } from '../embeddings/checked-vectors.ts'

/** This is enough for a word, and for the thoughts of a model that thinks first. */
const MAX_OUTPUT_TOKENS = 256
const LONGEST_MS = 30_000

/**
 * Makes one tiny real call without retries, so that a user sees whether address, key and model are right.
 * @throws `signal.reason` when the signal aborts
 */
export async function testProvider(
  provider: ProviderSettings,
  key: string | null,
  signal: AbortSignal,
): Promise<ProviderTest> {
  const [{ callModel }, { callFailureOf }] = await Promise.all([import('./ai-sdk-call.ts'), import('./api-failure.ts')])
  const limitMs = Math.min(provider.timeoutMs, LONGEST_MS)
  const late = AbortSignal.timeout(limitMs)
  const both = AbortSignal.any([signal, late])
  const began = performance.now()
  const answer = (problem: string | null, more: Pick<ProviderTest, 'dimensions'> = {}): ProviderTest => ({
    ok: problem === null,
    model: provider.model,
    durationMs: performance.now() - began,
    problem,
    ...more,
  })
  try {
    if (!isWriter(provider)) return answer(null, { dimensions: await dimensionsOf(provider, key, both) })
    const call = {
      system: 'You are asked whether you can be reached.',
      prompt: 'Answer with the single word: ready',
      temperature: 0.2,
      maxOutputTokens: Math.min(provider.maxOutputTokens, MAX_OUTPUT_TOKENS),
    }
    const { text, finishReason } = await callModel(provider, key, call, both)
    // A model that thinks first may need more tokens than this for its first word.
    const isWell = text.trim() !== '' || finishReason === 'length'
    return answer(isWell ? null : 'It answers, but with an empty text.')
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) return answer(`No answer within ${limitMs.toLocaleString('en-US')} ms.`)
    return answer(callFailureOf(error, provider, systemClock()).message)
  }
}

/** Returns how many numbers the vector of a word has. */
async function dimensionsOf(provider: ProviderSettings, key: string | null, signal: AbortSignal): Promise<number> {
  const [{ callEmbeddings }, { hostOf }] = await Promise.all([import('./ai-sdk-call.ts'), import('./api-failure.ts')])
  const reply = await callEmbeddings(provider, key, ['ready'], signal)
  return checkedVectors(reply, 1, hostOf(provider.baseUrl))[0]?.length ?? 0
}
