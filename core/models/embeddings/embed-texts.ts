import { callProvider, type ProviderAccess } from '../summarizers/ask-model.ts'
import { CallFailure } from '../summarizers/call-failure.ts'
import { checkedVectors } from './checked-vectors.ts'

/**
 * Has texts turned into vectors of length 1 by one request, in the order of the texts, within the budget of the run and
 * the limits of the provider.
 * @throws SummarizerFailure in words of our own, also when the answer is not one vector for each text;
 * `signal.reason` when the signal aborts
 */
export async function embedTexts(
  access: ProviderAccess,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const { provider, estimator } = access
  const { vectors } = await callProvider(
    access,
    {
      inputTokens: texts.reduce((sum, text) => sum + estimator.count(text), 0),
      maxOutputTokens: 0,
      make: async ({ callEmbeddings, hostOf }, key, both) => {
        const reply = await callEmbeddings(provider, key, texts, both)
        return { ...reply, vectors: checkedVectors(reply, texts.length, hostOf(provider.baseUrl)) }
      },
      outputTokensOf: () => 0,
    },
    signal,
  )
  return vectors
}

/**
 * As `embedTexts`, but a text that the model refuses (it is too long for it) has null, and the others have vectors.
 * @throws as `embedTexts`
 */
export async function embedAccepted(
  access: ProviderAccess,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly (Float32Array | null)[]> {
  try {
    return await embedTexts(access, texts, signal)
  } catch (error) {
    if (!(error instanceof CallFailure) || !error.isOfRequest) throw error
    if (texts.length === 1) return [null]
    const half = texts.length >> 1
    const first = await embedAccepted(access, texts.slice(0, half), signal)
    return [...first, ...(await embedAccepted(access, texts.slice(half), signal))]
  }
}
