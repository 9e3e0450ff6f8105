import { templateOf } from './prompt-template.ts'

/** The prompt for summaries of condensed summaries (depth 2 and deeper): the arc, key decisions and facts. */
export const ARC_V1 = templateOf(
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
