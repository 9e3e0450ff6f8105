import type { CompactionEngine } from '../compaction/compaction-engine.ts'
import type { CompactInput, CompactionDecision, CompactionProgress, CompactionResult } from '../contract/compaction.ts'

type AutoRequest = Pick<CompactInput, 'conversationId' | 'summarizer' | 'settings'>

/**
 * Returns the run that brings a window below the threshold that it has reached, and no further: below the soft
 * threshold when there are too many tokens, by leaves when there are too many messages. Returns null when no threshold
 * is reached.
 */
export function neededRun(decision: CompactionDecision, request: AutoRequest): CompactInput | null {
  const { conversationId, summarizer, settings } = request
  if (!decision.should) return null
  const input = { conversationId, summarizer, settings, reason: 'threshold' } as const
  const soft = decision.triggers.find(({ name }) => name === 'soft_threshold')
  if (!soft?.fired) return { ...input, mode: 'leaf' }
  return { ...input, mode: 'untilUnder', targetTokens: Math.max(1, Math.ceil(soft.limit) - 1) }
}

/**
 * Makes the needed run for a program that has appended messages to a native file. When none is needed it only reads the
 * window and returns null. The caller asks only when the configuration allows it (`LCM_AUTOCOMPACT_DISABLED`).
 * @throws LcmError not_found, invalid_argument, locked (retryable) when somebody else is compacting already
 */
export async function* compactIfNeeded(
  engine: CompactionEngine,
  request: AutoRequest,
  signal: AbortSignal,
): AsyncGenerator<CompactionProgress, CompactionResult | null> {
  const decision = engine.evaluate({ ...request, mode: 'full', reason: 'threshold' })
  const input = neededRun(decision, request)
  return input ? yield* engine.compact(input, signal) : null
}
