import { EXCERPT_BYTES } from '#core/sqlite/opening.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { AppendedMessages } from '#core/systems/reading/appended-messages.ts'
import { KeptByConversation } from '#core/systems/reading/kept-by-conversation.ts'
import { messageOpenings } from '#core/systems/reading/message-openings.ts'
import { storedConversations } from '#core/systems/records/conversations.ts'
import { firstUserMessages } from '#core/systems/records/messages.ts'
import { nameOf } from '../text-name.ts'

/** Only so many messages at the beginning of a conversation are searched for the first one of a person. */
const AMONG = 6

/** What a person said first in a conversation, as one line. */
export const keptFirstWords = (db: ReadDb, appended: AppendedMessages): KeptByConversation<string> =>
  new KeptByConversation(db, appended, {
    read: (of, ids) =>
      firstWords(of, ids ?? Array.from(storedConversations(of, null), ({ conversationId }) => conversationId)),
    // A message that is appended does not change the first words of a person. Without any, the conversation is read again.
    withMessage: (before) => before ?? undefined,
  })

function firstWords(db: ReadDb, ids: readonly number[]): ReadonlyMap<number, string> {
  const first = firstUserMessages(db, ids, AMONG)
  const openings = messageOpenings(db, [...first.values()], EXCERPT_BYTES)
  const names = Array.from(first, ([id, messageId]): [number, string] => [id, nameOf(openings.get(messageId) ?? '')])
  return new Map(names.filter(([, name]) => name !== ''))
}
