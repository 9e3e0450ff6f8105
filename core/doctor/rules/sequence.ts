import { ROLES } from '#core/contract/lists.ts'
import { onlyInTranscript, type Rule, type RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'

function* findSequence(context: RuleContext, isWanted: 'gap' | 'duplicate' | 'pruned'): Iterable<Finding | null> {
  const { messages } = context.memory
  const { sequence } = context.system.facts
  for (const { conversationId, from, to } of messages.ranges) {
    if (!isAsked(context, conversationId)) continue
    for (let position = from + 1; position < to; position += 1) {
      const step = (messages.seqs[position] as number) - (messages.seqs[position - 1] as number)
      const kind =
        step === 0
          ? 'duplicate'
          : step > 1
            ? sequence === 'pruned' && mayBePruned(context, position, step)
              ? 'pruned'
              : 'gap'
            : null
      if (kind !== isWanted || (sequence === 'free' && kind === 'gap')) {
        if (position % 1024 === 0) yield null
        continue
      }
      const seq = messages.seqs[position]
      const detail = kind === 'duplicate' ? `number ${seq} a second time` : `${step - 1} numbers missing before ${seq}`
      yield { id: context.memory.messageId(position), conversationId, detail, mark: String(step) }
    }
  }
}

/** A system may remove a turn (a heartbeat without an answer). Such a turn has few messages. */
const MAX_PRUNED = 16
const USER = ROLES.indexOf('user')

/** A whole turn is removed, so that the next one begins after the gap. The turn had a question and an answer. */
const mayBePruned = ({ memory }: RuleContext, position: number, step: number): boolean =>
  step > 2 && step <= MAX_PRUNED && memory.messages.roles[position] === USER

export const findPrunedMessages = (context: RuleContext): Iterable<Finding | null> => findSequence(context, 'pruned')

export const sequenceRules = [
  {
    id: 'sequence_duplicate',
    group: 'content',
    severity: 'error',
    phase: 'structure',
    invariant: 'No two messages of a conversation have the same number in its sequence.',
    explanation: 'Two messages claim one position in a conversation: which of them came first is left to chance.',
    ...onlyInTranscript('Compare with the transcript ("lcm coverage") which message comes first.'),
    find: (context) => findSequence(context, 'duplicate'),
  },
  {
    id: 'sequence_gap',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The messages of a conversation are numbered without gaps.',
    explanation: 'Messages that were there once are gone, or were numbered anew by something else than their system.',
    ...onlyInTranscript('Compare with the transcript ("lcm coverage"), which names what is missing.'),
    consequenceOf: ['dangling_edge', 'dangling_item', 'sequence_duplicate'],
    find: (context) => findSequence(context, 'gap'),
  },
] as const satisfies readonly Rule[]
