import { type Fault, one, RAW, UNDER } from './fault.ts'

export const coverageFaults: readonly Fault[] = [
  one('a message fell out of the window', 'coverage_gap', RAW, 'DELETE FROM context_items WHERE message_id = :id'),
  {
    name: 'a message stands beside its summary',
    rule: 'double_inclusion',
    inject: (memory, pick) => {
      const roots = memory.db.all<{ id: string; conversation: number }>(
        'SELECT summary_id AS id, conversation_id AS conversation FROM context_items WHERE summary_id IS NOT NULL ORDER BY ordinal',
      )
      if (roots.length === 0) return false
      const { id, conversation } = pick(roots)
      const leaf = memory.db.value<string>(UNDER, { id })
      const messages = memory.db.column<number>(
        'SELECT message_id FROM summary_messages WHERE summary_id = :leaf AND message_id NOT IN (SELECT message_id FROM context_items WHERE message_id IS NOT NULL) ORDER BY ordinal',
        { leaf: leaf ?? '' },
      )
      if (messages.length === 0) return false
      memory.damage("INSERT INTO context_items VALUES (:conversation, 900002, 'message', :message, NULL, 0)", {
        conversation,
        message: pick(messages),
      })
      return true
    },
  },
  {
    name: 'the newest message was summarised',
    rule: 'fresh_tail_compacted',
    inject: (memory, pick) => {
      const conversation = pick(memory.conversationIds)
      const raw = memory.db.column<number>(
        `SELECT message_id FROM context_items WHERE conversation_id = :c AND message_id IS NOT NULL
           AND ordinal > coalesce((SELECT max(ordinal) FROM context_items WHERE conversation_id = :c AND summary_id IS NOT NULL), -1)
         ORDER BY ordinal`,
        { c: conversation },
      )
      if (raw.length < 2) return false
      memory.leaf(conversation, raw.slice(-2), { content: 'The end.', tokens: 2 })
      return true
    },
  },
]
