import { generateText, isStepCount, type LanguageModel, tool, wrapLanguageModel } from 'ai'
import { z } from 'zod'
import { systemClock } from '#core/clock.ts'
import type { Grant } from '#core/contract/expand-query.ts'
import { LcmError } from '#core/errors.ts'
import { withoutThoughts } from '#core/models/prompts/clean-answer.ts'
import { modelOf } from '#core/models/summarizers/ai-sdk-call.ts'
import { callFailureOf } from '#core/models/summarizers/api-failure.ts'
import type { ProviderAccess } from '#core/models/summarizers/ask-model.ts'
import { CallFailure } from '#core/models/summarizers/call-failure.ts'
import { SummarizerFailure } from '#core/models/summarizers/summarizer.ts'
import type { Grants } from '../grants/grants.ts'
import type { GrantedReader } from './granted-reader.ts'
import { described, expanded, readerInstructions, readerQuestion } from './reader-prompt.ts'

/** How many turns the model has. In the last one it may only answer. */
const MOST_STEPS = 8
const TEMPERATURE = 0.1

export type ModelReading = {
  readonly access: ProviderAccess
  readonly reader: GrantedReader
  readonly grants: Grants
  readonly grant: Grant
  readonly question: string
  /** The ids and facts with which the reading begins, as text. */
  readonly candidates: string
  /** A random code of this run that stands in no text that will be read. */
  readonly code: string
}

/**
 * Lets a model answer from what it reads under a grant.
 * @returns the answer as the model gave it
 * @throws SummarizerFailure with a message of our own; or the reason with which the signal was aborted
 */
export async function readWithModel(reading: ModelReading, signal: AbortSignal): Promise<string> {
  const { access, code, question, candidates } = reading
  const { provider } = access
  try {
    const { text, finishReason } = await generateText({
      model: await guardedModel(access),
      instructions: readerInstructions(code),
      prompt: readerQuestion(code, question, candidates),
      tools: readingTools(reading),
      stopWhen: isStepCount(MOST_STEPS),
      prepareStep: ({ stepNumber }) => (mustAnswer(reading, stepNumber) ? { toolChoice: 'none' } : {}),
      temperature: TEMPERATURE,
      maxOutputTokens: provider.maxOutputTokens,
      maxRetries: 0,
      abortSignal: signal,
    })
    const answer = withoutThoughts(text).trim()
    if (finishReason === 'tool-calls' || answer === '') throw noAnswer(reading)
    return answer
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SummarizerFailure) throw error
    if (error instanceof Error && error.name === 'AI_ToolChoiceViolationError') throw noAnswer(reading)
    throw callFailureOf(error, provider, systemClock())
  }
}

function noAnswer({ grants, grant }: ModelReading): SummarizerFailure {
  const { calls, mostCalls, usedTokens, tokenCap } = grants.get(grant.id)
  const read = `${calls} of ${mostCalls} reads, ${usedTokens} of ${tokenCap} tokens`
  return new SummarizerFailure('empty', `It came to no answer within ${MOST_STEPS} turns (${read}).`)
}

const mustAnswer = ({ grants, grant }: ModelReading, step: number): boolean =>
  step >= MOST_STEPS - 1 || grants.get(grant.id).state !== 'active'

function readingTools(reading: ModelReading) {
  const { reader, grant, code } = reading
  return {
    describe: tool({
      description: 'Text and facts of a message, summary or file.',
      inputSchema: z.object({ id: z.string().min(1).max(512) }),
      execute: ({ id }) => answered(() => described(code, reader.describe(grant, id), leftOf(reading))),
    }),
    expand: tool({
      description: 'Sources of a summary: the summaries below it, and with messages the messages of those levels.',
      inputSchema: z.object({
        id: z.string().min(1).max(512),
        depth: z.int().min(1).max(100).default(1),
        messages: z.boolean().default(true),
        cursor: z.string().max(2_000).optional(),
      }),
      execute: ({ id, depth, messages, cursor }) =>
        answered(() =>
          expanded(code, reader.expand(grant, { id, depth, includeMessages: messages, cursor }), leftOf(reading)),
        ),
    }),
  }
}

function leftOf({ grants, grant }: ModelReading): string {
  const { usedTokens, tokenCap, calls, mostCalls } = grants.get(grant.id)
  return `Left: ${tokenCap - usedTokens} tokens, ${mostCalls - calls} calls.`
}

/** A refusal is given to the model as an answer, so that it may try something else. */
function answered(work: () => string): string {
  try {
    return work()
  } catch (error) {
    if (error instanceof LcmError) return `Refused: ${error.code}: ${error.message}`
    throw error
  }
}

/**
 * Returns the model of the provider. Each call keeps to the budget of the run, its time limit, retries and circuit
 * breaker.
 */
async function guardedModel(access: ProviderAccess): Promise<LanguageModel> {
  const { provider, resilience, keyOf, estimator, budget } = access
  const never = new AbortController().signal
  const model = modelOf(provider, await keyOf(provider))
  if (typeof model === 'string' || model.specificationVersion !== 'v4') throw new Error('a model of another version')
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      wrapGenerate: ({ model: inner, params }) =>
        resilience.execute(async (both) => {
          const inputTokens = estimator.count(JSON.stringify(params.prompt))
          const reserved = budget.reserve(inputTokens, provider.maxOutputTokens, provider)
          if (!reserved)
            throw new CallFailure('spend_cap', 'The next call may pass the cap for a run (LCM_SPEND_CAP_TOKENS).')
          try {
            const reply = await inner.doGenerate({ ...params, abortSignal: both })
            reserved.settle(reply.usage.inputTokens.total ?? null, reply.usage.outputTokens.total ?? null)
            return reply
          } catch (error) {
            const failure = callFailureOf(error, provider, systemClock())
            if (both.aborted || failure.isBilled) reserved.settle(null, null)
            else reserved.release()
            throw failure
          }
        }, params.abortSignal ?? never),
    },
  })
}
