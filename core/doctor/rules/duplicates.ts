import { isNative } from '../../systems/native/native.ts'
import { type Inspector, onlyInTranscript, type Rule, type RuleContext } from '../../systems/rule.ts'
import { findIn } from '../../systems/scanned-memory.ts'

/**
 * Tells whether a message repeats the one before it in role, text and time. People do write a text twice, but not
 * within one tick of the clock. Results of tools may be equal, and differ by their calls.
 */
function inspectTwins({ memory }: RuleContext): Inspector {
  const { messages } = memory
  let before = { position: -2, kind: '', content: '' }
  return ({ position, kind, content, conversationId }) => {
    const last = before
    before = { position, kind, content: content ?? '' }
    const isTwin =
      position === last.position + 1 &&
      position > 0 &&
      kind === last.kind &&
      (kind === 'user' || kind === 'assistant') &&
      content === last.content &&
      content.trim() !== '' &&
      messages.conversationAt(position - 1) === conversationId &&
      messages.createdAtMs[position] === messages.createdAtMs[position - 1]
    return isTwin ? `says the same at the same time as ${memory.messageId(position - 1)}` : null
  }
}

export const duplicateRules = [
  {
    id: 'duplicate_message',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'A message is stored once.',
    explanation: 'The same message was recorded twice: the model is shown it twice, and counts are too high.',
    ...onlyInTranscript('Compare with the transcript ("lcm coverage"), which names what arrived twice.'),
    // Imported messages are distinguished by the ids of their source. Some sources record no times.
    notApplicable: ({ info }) =>
      isNative(info) ? 'Messages are told apart by the ids that they have where they come from.' : null,
    find: function* (context) {
      for (const { column, sql } of context.system.facts.entryKeys) {
        if (context.probe.has('messages', column)) yield* findIn(context, [], sql)
      }
    },
    messageTexts: inspectTwins,
  },
] as const satisfies readonly Rule[]
