import { systemClock } from '#core/clock.ts'
import type { ProviderSettings } from '#core/contract/provider.ts'
import { elapsedMs, logEvent } from '#core/log.ts'
import type { TokenEstimator } from '../token-estimator.ts'
import type { ModelCall, ModelReply } from './ai-sdk-call.ts'
import { CallFailure } from './call-failure.ts'
import type { Resilience } from './resilience.ts'
import type { SpendBudget } from './spend-budget.ts'

/** Looks up the key of a provider when it is needed. Returns null when none is set. */
export type KeyLookup = (provider: ProviderSettings) => Promise<string | null>

/** What is needed to call a provider. */
export type ProviderAccess = {
  readonly provider: ProviderSettings
  /** The state that is kept over all requests to the provider. */
  readonly resilience: Resilience
  readonly keyOf: KeyLookup
  readonly estimator: TokenEstimator
  /** The budget of the run, which all its providers share. */
  readonly budget: SpendBudget
}

/** A call of any kind: what it may take at most, and how it is made. */
type ProviderCall<Reply> = {
  readonly inputTokens: number
  readonly maxOutputTokens: number
  make(client: Client, key: string | null, signal: AbortSignal): Promise<Reply>
  outputTokensOf(reply: Reply): number
}

/**
 * Asks a model within the budget of the run, with the time limit, the retries and the circuit of its provider.
 * @throws SummarizerFailure in words of our own; `signal.reason` when the signal aborts
 */
export async function askModel(access: ProviderAccess, call: ModelCall, signal: AbortSignal): Promise<ModelReply> {
  const { provider, estimator } = access
  return callProvider(
    access,
    {
      inputTokens: estimator.count(call.system) + estimator.count(call.prompt),
      maxOutputTokens: call.maxOutputTokens,
      make: ({ callModel }, key, both) => callModel(provider, key, call, both),
      outputTokensOf: ({ text, outputTokens }) => outputTokens ?? estimator.count(text),
    },
    signal,
  )
}

/** As `askModel`, for a call of any kind. */
export async function callProvider<Reply extends Pick<ModelReply, 'inputTokens'>>(
  access: ProviderAccess,
  call: ProviderCall<Reply>,
  signal: AbortSignal,
): Promise<Reply> {
  // Loading the client library takes a moment, which only a call needs and which is not counted as the model's time.
  const client = await loadClient()
  return access.resilience.execute((both) => callOnce(access, client, call, both), signal)
}

const loadClient = async () => ({ ...(await import('./ai-sdk-call.ts')), ...(await import('./api-failure.ts')) })
type Client = Awaited<ReturnType<typeof loadClient>>

/** Makes a call within the budget of the run. It fails with a `CallFailure` or with the abort. */
async function callOnce<Reply extends Pick<ModelReply, 'inputTokens'>>(
  { provider, budget, keyOf }: ProviderAccess,
  client: Client,
  { inputTokens, maxOutputTokens, make, outputTokensOf }: ProviderCall<Reply>,
  signal: AbortSignal,
): Promise<Reply> {
  const reserved = budget.reserve(inputTokens, maxOutputTokens, provider)
  if (!reserved) {
    const [needs, cap] = [inputTokens + maxOutputTokens, budget.capTokens ?? 0].map((n) => n.toLocaleString('en-US'))
    throw new CallFailure(
      'spend_cap',
      `The call may take ${needs} tokens, more than the cap of ${cap} for a run leaves.`,
    )
  }
  const start = performance.now()
  const fields = { provider: provider.name, model: provider.model }
  try {
    const reply = await make(client, await keyOf(provider), signal)
    const outputTokens = outputTokensOf(reply)
    reserved.settle(reply.inputTokens, outputTokens)
    const counted = { tokens_in: reply.inputTokens ?? inputTokens, tokens_out: outputTokens }
    logEvent('info', 'model', 'model.answered', { ...fields, ...counted, outcome: 'ok', duration_ms: elapsedMs(start) })
    return reply
  } catch (error) {
    const failure = client.callFailureOf(error, provider, systemClock())
    if (signal.aborted || failure.isBilled) reserved.settle(null, null)
    else reserved.release()
    const outcome = signal.aborted ? 'cancelled' : failure.outcome
    const level = signal.aborted ? 'info' : 'warn'
    logEvent(level, 'model', 'model.failed', { ...fields, outcome, duration_ms: elapsedMs(start) })
    throw failure
  }
}
