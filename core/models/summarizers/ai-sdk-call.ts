import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type FinishReason, generateText, type LanguageModel, wrapLanguageModel } from 'ai'
import { z } from 'zod'
import type { ProviderSettings } from '#core/contract/provider.ts'
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
  /** The number of the server, or null when it gives none. */
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/**
 * Makes one call over the network, without retries. Aborting the signal closes the connection.
 * @throws whatever the client library throws, which may quote the prompt and the answer and must not be shown
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

/** Wraps the model of a provider for the client library. */
export function modelOf({ kind, name, baseUrl, model }: ProviderSettings, key: string | null): LanguageModel {
  const baseURL = baseUrl.replace(/\/+$/, '')
  const found =
    kind === 'anthropic'
      ? // An empty key rather than none: without one the library would take one from the environment by itself.
        createAnthropic({ baseURL, apiKey: key ?? '', fetch: boundedFetch })(model)
      : createOpenAICompatible({ name, baseURL, fetch: boundedFetch, ...(key === null ? {} : { apiKey: key }) })(model)
  // The library prints warnings (for example of a model without a temperature) into the output of the process.
  return wrapLanguageModel({
    model: found,
    middleware: {
      specificationVersion: 'v4',
      wrapGenerate: async ({ doGenerate }) => ({ ...(await doGenerate()), warnings: [] }),
    },
  })
}

export type EmbeddingReply = {
  /** What the server answered. It is not checked yet. */
  readonly vectors: readonly (readonly number[])[]
  /** The number of the text to which each vector belongs, where the server says it. */
  readonly indexes: readonly (number | undefined)[]
  readonly inputTokens: number | null
}

/** The client library drops the number by which an answer belongs to a text. */
const Answered = z.object({ data: z.array(z.object({ index: z.number().nullish().catch(Number.NaN) })) })

/**
 * Has texts turned into vectors by one call over the network, without retries.
 * @throws as `callModel`
 */
export async function callEmbeddings(
  { name, baseUrl, model }: ProviderSettings,
  key: string | null,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<EmbeddingReply> {
  const client = createOpenAICompatible({
    name,
    baseURL: baseUrl.replace(/\/+$/, ''),
    fetch: boundedFetch,
    ...(key === null ? {} : { apiKey: key }),
  })
  const { embeddings, usage, response } = await client
    .embeddingModel(model)
    .doEmbed({ values: [...texts], abortSignal: signal })
  const answered = Answered.safeParse(response?.body)
  const indexes = answered.success ? answered.data.data.map(({ index }) => index ?? undefined) : []
  return { vectors: embeddings, indexes, inputTokens: usage?.tokens ?? null }
}
