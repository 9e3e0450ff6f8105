import type { ProviderSettings } from '#core/contract/provider.ts'
import { cleanAnswer } from '../prompts/clean-answer.ts'
import type { PromptLibrary } from '../prompts/prompt-library.ts'
import { MODEL_LEVELS, type ModelLevel } from '../prompts/prompt-template.ts'
import type { ModelReply } from './ai-sdk-call.ts'
import { askModel, type ProviderAccess } from './ask-model.ts'
import { type Summarizer, SummarizerFailure, type SummaryAnswer, type SummaryRequest } from './summarizer.ts'

export type ModelSummarizerOptions = ProviderAccess & { readonly prompts: PromptLibrary }

const TEMPERATURES: Readonly<Record<ModelLevel, number>> = { normal: 0.2, aggressive: 0.1 }

/** Creates a summariser that asks a model, at the levels normal and aggressive. */
export function createModelSummarizer(options: ModelSummarizerOptions): Summarizer {
  const { provider, prompts } = options
  return {
    name: provider.name,
    levels: MODEL_LEVELS,
    model: provider.model,
    promptVersion: ({ depth }) => prompts.version(depth),
    summarize: async (request, signal) => {
      const level = modelLevel(request)
      const { nonce, system, prompt } = prompts.build(request, level)
      const call = { system, prompt, temperature: TEMPERATURES[level], maxOutputTokens: provider.maxOutputTokens }
      const reply = await askModel(options, call, signal)
      return answerOf(reply, nonce, provider)
    },
  }
}

function modelLevel({ level }: SummaryRequest): ModelLevel {
  const found = MODEL_LEVELS.find((known) => known === level)
  if (!found) throw new SummarizerFailure('failed', `A model is not asked at the level ${level}.`)
  return found
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
