import type { Pruned, PrunedRun } from '../../core/contract/message.ts'
import { formatCount, plural } from './format.ts'

/** What agents call it when they take an output out of their window without a summary. */
const WORDS: Readonly<Record<string, string>> = {
  microcompaction: 'cleared by a microcompaction',
  pruning: 'pruned',
  masking: 'masked',
  elision: 'elided',
}

/** `pruned`, `cleared by a microcompaction`; what another version calls it stays as it is. */
export const prunedWord = (by: string): string => (Object.hasOwn(WORDS, by) ? (WORDS[by] ?? by) : by)

/** How much of the window it was. Of what the transcript no longer has, nobody knows. */
export const prunedTokensText = ({ tokens }: Pick<Pruned, 'tokens'>): string =>
  tokens > 0 ? `${formatCount(tokens)} tokens left the window` : 'the transcript has only its replacement'

/** What a run took out that made no summary. */
export const prunedRunText = ({ outputs }: Pick<PrunedRun, 'outputs'>): string => `${plural(outputs, 'output')} pruned`
