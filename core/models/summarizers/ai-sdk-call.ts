import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type FinishReason, generateText, type LanguageModel, wrapLanguageModel } from 'ai'
import type { ProviderSettings } from '../../contract/provider.ts'
import { boundedFetch } from './bounded-fetch.ts'

export type ModelCall = {
  readonly system: string
  readonly prompt: string
  readonly temperature: number
  readonly maxOutputTokens: number
}

export type ModelReply = {
  readonly text: string
  readonly finishReason: FinishReason
  /** As the server counts them; null when it does not say. */
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/**
 * One call over the network, without retries. Aborting the signal closes the connection.
 * @throws whatever the client library throws: it may quote the prompt and the answer, so it must not be shown as it is
 */
export async function callModel(
  provider: ProviderSettings,
  key: string | null,
  { system, ...call }: ModelCall,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { text, finishReason, usage } = await generateText({
    model: modelOf(provider, key),
    instructions: system,
    ...call,
    maxRetries: 0,
    abortSignal: signal,
  })
  return {
    text,
    finishReason,
    inputTokens: usage.inputTokens ?? null,
    outputTokens: usage.outputTokens ?? null,
  }
}

/** The model of a provider behind the client library. */
export function modelOf({ kind, name, baseUrl, model }: ProviderSettings, key: string | null): LanguageModel {
  const baseURL = baseUrl.replace(/\/+$/, '')
  const found =
    kind === 'anthropic'
      ? // An empty key rather than none: without one the library would take one from the environment by itself.
        createAnthropic({ baseURL, apiKey: key ?? '', fetch: boundedFetch })(model)
      : createOpenAICompatible({ name, baseURL, fetch: boundedFetch, ...(key === null ? {} : { apiKey: key }) })(model)
  // The library prints warnings (a model that takes no temperature, say) into the process's own output.
  return wrapLanguageModel({
    model: found,
    middleware: {
      specificationVersion: 'v4',
      wrapGenerate: async ({ doGenerate }) => ({ ...(await doGenerate()), warnings: [] }),
    },
  })
}
