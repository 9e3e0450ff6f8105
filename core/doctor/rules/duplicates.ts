import { isNative } from '../../systems/native/native.ts'
import { findIn } from '../../systems/scanned-memory.ts'
import { type Inspector, onlyInTranscript, type Rule, type RuleContext } from './rule.ts'

/** Two messages with one key of the transcript, which an index of the file should have refused. */
const sameKey = (column: string): string => /* sql */ `
  SELECT 'msg_' || max(message_id) AS id, conversation_id AS conversationId,
    'has the same ${column} as msg_' || min(message_id) AS detail
  FROM main.messages
  WHERE ${column} IS NOT NULL AND (:conversation IS NULL OR conversation_id = :conversation)
  GROUP BY conversation_id, ${column}
  HAVING count(*) > 1`

/**
 * Says whether a message repeats the one before it: speaker, text and time. People do say a thing twice, but not within
 * one tick of the clock; results of tools may well be equal, and are told apart by their calls.
 */
function inspectTwins({ facts }: RuleContext): Inspector {
  const { messages } = facts
  let before = { place: -2, kind: '', content: '' }
  return ({ place, kind, content, conversationId }) => {
    const last = before
    before = { place, kind, content: content ?? '' }
    const isTwin =
      place === last.place + 1 &&
      place > 0 &&
      kind === last.kind &&
      (kind === 'user' || kind === 'assistant') &&
      content === last.content &&
      content.trim() !== '' &&
      messages.conversationAt(place - 1) === conversationId &&
      messages.createdAtMs[place] === messages.createdAtMs[place - 1]
    return isTwin ? `says the same at the same time as ${facts.messageId(place - 1)}` : null
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
    // What it imports is told apart by the ids of its source; some sources know no time of a message.
    notApplicable: ({ info }) =>
      isNative(info) ? 'Messages are told apart by the ids that they have where they come from.' : null,
    find: function* (context) {
      for (const column of context.system.facts.entryKeys) {
        if (context.probe.has('messages', column)) yield* findIn(context, [], sameKey(column))
      }
    },
    messageTexts: inspectTwins,
  },
] as const satisfies readonly Rule[]
