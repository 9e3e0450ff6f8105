import type { CompactInput, CompactionProgress, CompactionResult } from '../contract/compaction.ts'
import type { CompactionEngine } from './compaction-engine.ts'

/**
 * For a program that appends messages to a native file, after it has appended: compacts the conversation until it is
 * under its threshold when it has reached it, and does nothing, at the price of reading the window, when it has not.
 * With `settings` and `summarizer` as for any other run. The caller asks only where the configuration allows it
 * (`LCM_AUTOCOMPACT_DISABLED`). Returns null when nothing had to be done.
 * @throws LcmError not_found, invalid_argument, locked (retryable): somebody else is compacting it already
 */
export async function* compactIfNeeded(
  engine: CompactionEngine,
  request: Pick<CompactInput, 'conversationId' | 'summarizer' | 'settings'>,
  signal: AbortSignal,
): AsyncGenerator<CompactionProgress, CompactionResult | null> {
  const input: CompactInput = { ...request, mode: 'full', reason: 'threshold' }
  const decision = engine.evaluate(input)
  if (!decision.should) return null
  const soft = decision.triggers.find(({ name }) => name === 'soft_threshold')
  // Too many messages are made fewer by leaves, whatever they take.
  if (!soft?.fired) {
    return yield* engine.compact({ ...input, mode: 'leaf' }, signal)
  }
  const targetTokens = Math.max(1, Math.ceil(soft.limit) - 1)
  return yield* engine.compact({ ...input, mode: 'untilUnder', targetTokens }, signal)
}
