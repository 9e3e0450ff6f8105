import type { ProviderAccess } from './ask-model.ts'
import { SummarizerFailure } from './summarizer.ts'

/** The answer of the first provider that has one, otherwise null, and why those before it had none. */
export type ChainAnswer<T> = {
  readonly answer: T | null
  readonly failures: readonly { readonly provider: string; readonly failure: SummarizerFailure }[]
}

/**
 * Asks providers in order until one answers.
 * @throws `signal.reason` when the signal aborts; what `ask` throws, unless it is a SummarizerFailure
 */
export async function askInOrder<T>(
  providers: readonly ProviderAccess[],
  ask: (access: ProviderAccess) => Promise<T>,
  signal: AbortSignal,
): Promise<ChainAnswer<T>> {
  const failures: ChainAnswer<T>['failures'][number][] = []
  for (const access of providers) {
    try {
      return { answer: await ask(access), failures }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof SummarizerFailure)) throw error
      failures.push({ provider: access.provider.name, failure: error })
    }
  }
  return { answer: null, failures }
}

/** Says why no provider has answered. */
export const reasonsOf = (failures: ChainAnswer<unknown>['failures']): string =>
  failures.map(({ provider, failure }) => `${provider}: ${failure.message}`).join(' ')
