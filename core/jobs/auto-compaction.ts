import type { CompactionEngine } from '../compaction/compaction-engine.ts'
import type { CompactInput, CompactionDecision, CompactionProgress, CompactionResult } from '../contract/compaction.ts'

type AutoRequest = Pick<CompactInput, 'conversationId' | 'summarizer' | 'settings'>

/**
 * The run that brings a window under the threshold which it has reached, and no further: with too many tokens until they
 * are under the soft threshold, with too many messages as leaves. Null when no threshold is reached.
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
 * For a program that appends messages to a native file, after it has appended: makes the needed run, and costs no more
 * than reading the window when none is needed; then the answer is null. The caller asks only where the configuration
 * allows it (`LCM_AUTOCOMPACT_DISABLED`).
 * @throws LcmError not_found, invalid_argument, locked (retryable): somebody else is compacting it already
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
