import { templateOf } from './prompt-template.ts'

/** The prompt for summaries of messages (depth 0): it keeps what an agent at work would have to ask for again. */
export const LEAF_V1 = templateOf(
  'leaf-v1',
  'LCM Inspector, leaf-v1',
  `Summarise this stretch of a conversation between a user, an AI agent and its tools.

Keep word for word: file paths, commands, identifiers, code that was settled on, numbers, versions, addresses, error messages with their cause, and file ids (file_ and 16 hexadecimal digits).
Keep in substance: what was asked, what was decided and why, what was tried, what came out of it, what is still open. Put the time before what happened, as in "2026-02-13 09:30Z".
Leave out greetings, repetition, progress output and paths that led nowhere, unless somebody might walk them again.

{{previous_summary}}
{{style}}
Aim at {{target_tokens}} tokens at most. It must in any case be clearly shorter than the record.

{{sources}}`,
  {
    normal: 'Write a compact narrative in the order of events, in short paragraphs.',
    aggressive:
      'Write terse bullet points in the order of events, one fact each: decisions, results, errors, paths, open questions. No narrative, no full sentences where a phrase will do.',
  },
)
