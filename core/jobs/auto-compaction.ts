import type { CompactInput, CompactionDecision } from '../contract/compaction.ts'

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
