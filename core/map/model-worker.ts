import { LcmError } from '../errors.ts'
import { askInOrder, reasonsOf } from '../models/summarizers/ask-in-order.ts'
import { askModel, type ProviderAccess } from '../models/summarizers/ask-model.ts'
import { CallFailure } from '../models/summarizers/call-failure.ts'
import type { SummarizerFailure } from '../models/summarizers/summarizer.ts'
import { correctionFor, instructionsFor, promptFor } from './item-prompt.ts'
import { ItemFailure, type Task, type Worker } from './worker.ts'

const TEMPERATURE = 0.1

type ModelWork = {
  /** The providers in the order in which they are asked. */
  readonly providers: readonly ProviderAccess[]
  readonly prompt: string
  readonly schema: string
}

/** Creates a worker that asks a model for each item. */
export function createModelWorker({ providers, prompt, schema }: ModelWork): Worker {
  const system = instructionsFor(schema)
  return {
    name: providers.map(({ provider }) => `${provider.name} (${provider.model})`).join(', '),
    identity: providers.map(({ provider }) => `${provider.name} ${provider.model} ${provider.baseUrl}`),
    async work({ item, refusal }: Task, signal) {
      const asked = promptFor(prompt, item) + (refusal === null ? '' : correctionFor(refusal))
      const question = { system, prompt: asked }
      const { answer, failures } = await askInOrder(providers, (access) => ask(access, question, signal), signal)
      if (answer !== null) return answer
      const problems = reasonsOf(failures)
      // The provider has made its own retries, so another try at once would end alike.
      if (!failures.every(({ failure }) => isOfProvider(failure))) throw new ItemFailure(problems, false)
      throw new LcmError(
        'model_failed',
        `The run stopped: ${problems} Results so far are kept. Start the same command again to go on.`,
      )
    },
  }
}

/** True when other items would fail, too. One call that failed after its retries may still be the fault of its item. */
function isOfProvider(failure: SummarizerFailure): boolean {
  if (failure.outcome === 'circuit_open' || failure.outcome === 'spend_cap') return true
  return (
    failure instanceof CallFailure &&
    failure.outcome === 'failed' &&
    !failure.isRetryable &&
    !failure.isOfRequest &&
    !failure.isBilled
  )
}

type Question = { readonly system: string; readonly prompt: string }

async function ask(access: ProviderAccess, question: Question, signal: AbortSignal): Promise<string> {
  const { maxOutputTokens, name } = access.provider
  const call = { ...question, temperature: TEMPERATURE, maxOutputTokens }
  const { text, finishReason } = await askModel(access, call, signal)
  if (finishReason === 'content-filter') throw new ItemFailure(`${name} declined to answer.`, false)
  if (finishReason === 'length') {
    const limit = maxOutputTokens.toLocaleString('en-US')
    throw new ItemFailure(`The answer was cut off at ${limit} output tokens. Raise maxOutputTokens of ${name}.`, false)
  }
  return text
}
