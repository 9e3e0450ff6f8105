import { systemClock } from '../../clock.ts'
import type { ProviderSettings } from '../../contract/provider.ts'
import { cleanAnswer } from '../prompts/clean-answer.ts'
import type { PromptLibrary } from '../prompts/prompt-library.ts'
import { MODEL_LEVELS, type ModelLevel } from '../prompts/prompt-template.ts'
import type { TokenEstimator } from '../token-estimator.ts'
import type { ModelCall, ModelReply } from './ai-sdk-call.ts'
import { CallFailure } from './call-failure.ts'
import type { Resilience } from './resilience.ts'
import type { SpendBudget } from './spend-budget.ts'
import { type Summarizer, SummarizerFailure, type SummaryAnswer, type SummaryRequest } from './summarizer.ts'

/** Looks up the key of a provider when it is needed. Returns null when none is set. */
export type KeyLookup = (provider: ProviderSettings) => Promise<string | null>

export type ModelSummarizerOptions = {
  readonly provider: ProviderSettings
  readonly keyOf: KeyLookup
  readonly prompts: PromptLibrary
  readonly estimator: TokenEstimator
  /** The state that is kept over all requests to the provider. */
  readonly resilience: Resilience
  /** The budget of the run. */
  readonly budget: SpendBudget
}

const TEMPERATURES: Readonly<Record<ModelLevel, number>> = { normal: 0.2, aggressive: 0.1 }

/** Creates a summariser that asks a model, at the levels normal and aggressive. */
export function createModelSummarizer(options: ModelSummarizerOptions): Summarizer {
  const { provider, prompts, resilience } = options
  return {
    name: provider.name,
    levels: MODEL_LEVELS,
    model: provider.model,
    promptVersion: ({ depth }) => prompts.version(depth),
    summarize: async (request, signal) => {
      const level = modelLevel(request)
      const { nonce, system, prompt } = prompts.build(request, level)
      const call = { system, prompt, temperature: TEMPERATURES[level], maxOutputTokens: provider.maxOutputTokens }
      // Loading the client library takes a moment, which only a call needs and which is not counted as the model's
      // time.
      const client = await loadClient()
      const reply = await resilience.execute((both) => callOnce(options, client, call, both), signal)
      return answerOf(reply, nonce, provider)
    },
  }
}

function modelLevel({ level }: SummaryRequest): ModelLevel {
  const found = MODEL_LEVELS.find((known) => known === level)
  if (!found) throw new SummarizerFailure('failed', `A model is not asked at the level ${level}.`)
  return found
}

const loadClient = async () => ({ ...(await import('./ai-sdk-call.ts')), ...(await import('./api-failure.ts')) })
type Client = Awaited<ReturnType<typeof loadClient>>

/** Makes a call within the budget of the run. It fails with a `CallFailure` or with the abort. */
async function callOnce(
  options: ModelSummarizerOptions,
  { callModel, callFailureOf }: Client,
  call: ModelCall,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { provider, budget, estimator } = options
  const inputTokens = estimator.count(call.system) + estimator.count(call.prompt)
  const reserved = budget.reserve(inputTokens, call.maxOutputTokens, provider)
  if (!reserved) {
    const [needs, cap] = [inputTokens + call.maxOutputTokens, budget.capTokens ?? 0].map((n) =>
      n.toLocaleString('en-US'),
    )
    throw new CallFailure(
      'spend_cap',
      `The call may take ${needs} tokens, more than the cap of ${cap} for a run leaves.`,
    )
  }
  try {
    const reply = await callModel(provider, await options.keyOf(provider), call, signal)
    reserved.settle(reply.inputTokens, reply.outputTokens ?? estimator.count(reply.text))
    return reply
  } catch (error) {
    const failure = callFailureOf(error, provider, systemClock())
    if (signal.aborted || failure.isBilled) reserved.settle(null, null)
    else reserved.release()
    throw failure
  }
}

function answerOf(reply: ModelReply, nonce: string, { name, maxOutputTokens }: ProviderSettings): SummaryAnswer {
  const { inputTokens, outputTokens, finishReason } = reply
  if (finishReason === 'content-filter') throw new SummarizerFailure('failed', `${name} declined to answer.`)
  const { text, isClosed } = cleanAnswer(reply.text, nonce)
  if (finishReason === 'length' && !isClosed) {
    const limit = maxOutputTokens.toLocaleString('en-US')
    throw new SummarizerFailure('failed', `The answer was cut off at ${limit} output tokens.`)
  }
  if (text === '') throw new SummarizerFailure('empty', 'The answer holds no summary.')
  if (finishReason !== 'stop' && !isClosed) {
    throw new SummarizerFailure('failed', 'The answer ended before the summary was finished.')
  }
  return { text, inputTokens, outputTokens }
}
