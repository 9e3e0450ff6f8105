import { type PromptTemplate, templateOf } from './prompt-template.ts'

/** The prompt for summaries of messages (depth 0): it keeps what an agent at work would have to ask for again. */
const LEAF_V1 = templateOf(
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

/** The prompt for summaries of leaf summaries (depth 1): it merges themes and drops repetitions. */
const CONDENSED_V1 = templateOf(
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

/** The prompt for summaries of condensed summaries (depth 2 and deeper): the arc, key decisions and facts. */
const ARC_V1 = templateOf(
  'arc-v1',
  'LCM Inspector, arc-v1',
  `The record holds summaries, already condensed {{depth}} times over, of a long conversation between a user, an AI agent and its tools, oldest first. Give the arc of it.

Say what the work was for, how it went from its beginning to its end, and where it stands. Name the key decisions with their reasons and times, the facts that everything later rests on (names, paths, versions, limits, file ids as written), and what is still open. Leave out how details were arrived at.

{{style}}
Aim at {{target_tokens}} tokens at most. It must in any case be clearly shorter than the record.

{{sources}}`,
  {
    normal: 'Write the arc as a short narrative, then the key decisions, then the facts.',
    aggressive: 'Write terse bullet points under "Arc", "Decisions" and "Facts".',
  },
)

/** The prompts of this app, by kind. */
export const BUILT_IN: Readonly<Record<'leaf' | 'condensed' | 'arc', PromptTemplate>> = {
  leaf: LEAF_V1,
  condensed: CONDENSED_V1,
  arc: ARC_V1,
}
