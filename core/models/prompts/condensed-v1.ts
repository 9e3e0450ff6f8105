import { templateOf } from './prompt-template.ts'

/** The prompt for summaries of leaf summaries (depth 1): it merges themes and drops repetitions. */
export const CONDENSED_V1 = templateOf(
  'condensed-v1',
  'LCM Inspector, condensed-v1',
  `The record holds summaries of successive stretches of one conversation between a user, an AI agent and its tools, oldest first. Merge them into one.

Bring together what belongs to the same theme, even when it comes from different summaries. Say what is repeated once. Where later summaries settle, correct or undo what earlier ones say, give what holds in the end, and that it changed.
Keep word for word: the file paths, commands, identifiers, numbers, error messages and file ids (file_ and 16 hexadecimal digits) that the work still rests on. Keep decisions with their reasons, and what is still open. Keep the times of what matters.

{{style}}
Aim at {{target_tokens}} tokens at most. It must in any case be clearly shorter than the record.

{{sources}}`,
  {
    normal: 'Write by theme, each a short paragraph, themes in the order in which they came up.',
    aggressive: 'Write terse bullet points by theme, one fact each, without narrative.',
  },
)
