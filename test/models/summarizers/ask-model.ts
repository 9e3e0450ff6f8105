import type { ProviderSettings } from '#core/contract/provider.ts'
import { PromptLibrary } from '#core/models/prompts/prompt-library.ts'
import { createModelSummarizer } from '#core/models/summarizers/model-summarizer.ts'
import { Resilience, type ResilienceOptions } from '#core/models/summarizers/resilience.ts'
import { SpendBudget } from '#core/models/summarizers/spend-budget.ts'
import { type Summarizer, SummarizerFailure, type SummaryRequest } from '#core/models/summarizers/summarizer.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'

/** Must never be seen anywhere but in a header. */
export const KEY = 'sk-test-0123456789abcdefSECRET'
/** Must never be seen anywhere but in a prompt. */
export const TOLD = 'the vault code is 4711-QUARTZ'

export const provider = (baseUrl: string, spec: Partial<ProviderSettings> = {}): ProviderSettings => ({
  name: 'local',
  kind: 'openai-compatible',
  baseUrl,
  model: 'tiny-1',
  keyVariable: 'TEST_KEY',
  timeoutMs: 120_000,
  maxOutputTokens: 800,
  inputPrice: null,
  outputPrice: null,
  ...spec,
})

export const request = (spec: Partial<SummaryRequest> = {}): SummaryRequest => ({
  depth: 0,
  level: 'normal',
  targetTokens: 600,
  sourceTokens: 4_000,
  entries: [
    {
      id: 'msg_1',
      kind: 'message',
      role: 'user',
      atMs: Date.UTC(2026, 1, 13, 9, 30),
      text: TOLD,
      calls: [],
      answer: null,
    },
  ],
  previousSummary: null,
  ...spec,
})

export type SummarizerSpec = Partial<ResilienceOptions> & {
  readonly budget?: SpendBudget
  readonly key?: string | null
}

export const summarizerOf = (
  settings: ProviderSettings,
  { budget = new SpendBudget(null), key = KEY, ...resilience }: SummarizerSpec = {},
): Summarizer =>
  createModelSummarizer({
    provider: settings,
    keyOf: async () => key,
    prompts: new PromptLibrary(null),
    estimator: createTokenEstimator(),
    budget,
    resilience: new Resilience({ timeoutMs: settings.timeoutMs, firstPauseMs: 5, ...resilience }),
  })

export const NEVER = new AbortController().signal

/** The failure that a call ends in; it must hold neither the key nor what was said. */
export async function failureOf(work: Promise<unknown>): Promise<SummarizerFailure> {
  const error = await work.then(
    () => new Error('there was an answer'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SummarizerFailure)) throw error
  const seen = [error.message, error.stack, JSON.stringify(error), String(error.cause), ...Object.values(error)].join()
  if (seen.includes(KEY) || seen.includes('QUARTZ')) throw new Error(`a failure says too much: ${seen}`)
  return error
}
