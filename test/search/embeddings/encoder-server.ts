import { createHash } from 'node:crypto'
import type { ProviderSettings } from '#core/contract/provider.ts'
import { stemsOf } from '#core/sqlite/stems.ts'
import { type Behaviour, json, type ModelServer, startModelServer } from '#test/models/summarizers/model-server.ts'

/*
 * A model in which words with the same stem, and words of one line below, mean the same: the vector of a text is the
 * sum of a fixed direction for each meaning.
 */

const SYNONYMS = [
  ['car', 'automobile', 'vehicle'],
  ['doctor', 'physician', 'surgeon'],
  ['buy', 'purchase', 'acquire'],
  ['fast', 'quick', 'rapid'],
  ['bug', 'defect', 'fault'],
] as const

export const DIMENSIONS = 64

function vectorOf(text: string, dimensions = DIMENSIONS): number[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const meanings = stemsOf(words).map((stem) => meaningOf.get(stem) ?? stem)
  const sum = Array.from({ length: dimensions }, () => 0)
  for (const meaning of meanings.length > 0 ? meanings : ['']) {
    const direction = createHash('sha512').update(meaning).digest()
    for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] ?? 0) + ((direction[at % 64] ?? 0) - 127.5)
  }
  return sum
}

const meaningOf = new Map(
  SYNONYMS.flatMap((words) => stemsOf([...words]).map((stem): [string, string] => [stem, words[0]])),
)

const vectorsBody = (texts: readonly string[], dimensions?: number) => ({
  object: 'list',
  model: 'served',
  data: texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, dimensions) })),
  usage: { prompt_tokens: texts.length * 3, total_tokens: texts.length * 3 },
})

const textsOf = (body: Record<string, unknown>): string[] => body.input as string[]

/** Answers as a server with the model above does. */
export const encodes =
  (dimensions?: number): Behaviour =>
  (response, { body }) =>
    json(response, 200, vectorsBody(textsOf(body), dimensions))

export const startEncoder = (): Promise<ModelServer> => startModelServer(encodes())

export const encoder = (baseUrl: string, spec: Partial<ProviderSettings> = {}): ProviderSettings => ({
  name: 'encoder',
  kind: 'openai-embeddings',
  baseUrl,
  model: 'tiny-vectors',
  keyVariable: null,
  timeoutMs: 120_000,
  maxOutputTokens: 800,
  inputPrice: null,
  outputPrice: null,
  ...spec,
})
