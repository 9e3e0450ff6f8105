import type { Pruned } from '#core/contract/message.ts'
import { formatCount } from './format.ts'

/** The terms that agents use when they remove an output from their window without a summary. */
const WORDS: Readonly<Record<string, string>> = {
  microcompaction: 'cleared by a microcompaction',
  pruning: 'pruned',
  masking: 'masked',
  elision: 'elided',
  omission: 'not sent again',
  branch: 'on a branch that was given up',
  removal: 'removed from its message',
}

/** `pruned`, `cleared by a microcompaction`. An unknown term is returned unchanged. */
export const prunedWord = (by: string): string => (Object.hasOwn(WORDS, by) ? (WORDS[by] ?? by) : by)

/** Says how much left the window, if the transcript still tells. */
export const prunedTokensText = ({ tokens }: Pick<Pruned, 'tokens'>): string =>
  tokens > 0 ? `${formatCount(tokens)} tokens left the window` : 'the transcript has only its replacement'
