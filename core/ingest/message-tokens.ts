import type { TokenEstimator } from '../models/token-estimator.ts'
import type { NewPart } from './new-message.ts'

export type CountedPart = Pick<
  NewPart,
  'type' | 'text' | 'toolName' | 'toolInput' | 'toolOutput' | 'toolError' | 'isSynthetic'
>

/**
 * Returns what a message costs in the window: its content, its tool calls (name and arguments), and results that are
 * not its content. Reasoning is not sent again and not counted, and neither are synthetic parts.
 */
export function countMessageTokens(estimator: TokenEstimator, content: string, parts: readonly CountedPart[]): number {
  let tokens = estimator.count(content)
  for (const part of parts) {
    if (part.isSynthetic || part.type !== 'tool') continue
    if (part.toolInput) tokens += estimator.count(part.toolName ?? '') + estimator.count(part.toolInput)
    if (part.toolOutput && part.toolOutput !== content) tokens += estimator.count(part.toolOutput)
    if (part.toolError && part.toolError !== content) tokens += estimator.count(part.toolError)
  }
  return tokens
}
