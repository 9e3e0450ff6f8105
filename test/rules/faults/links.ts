import { type Fault, IN_WINDOW, UNDER } from './fault.ts'

export const linkFaults: readonly Fault[] = [
  {
    name: 'a message under two leaves',
    rule: 'double_coverage',
    inject: (memory, pick) => {
      const leaves = memory.db.column<string>(IN_WINDOW)
      if (leaves.length < 2) return false
      const [first, second] = [leaves[0] ?? '', leaves[1] ?? '']
      const leafUnder = (id: string): string => memory.db.value<string>(UNDER, { id }) ?? ''
      const messages = memory.db.column<number>(
        'SELECT message_id FROM summary_messages WHERE summary_id = :id ORDER BY ordinal',
        {
          id: leafUnder(first),
        },
      )
      if (messages.length < 2 || leafUnder(second) === '') return false
      memory.damage('INSERT INTO summary_messages VALUES (:leaf, :message, 999)', {
        leaf: leafUnder(second),
        message: pick(messages),
      })
      return true
    },
  },
  {
    name: 'links in the wrong order',
    rule: 'source_order',
    inject: (memory, pick) => {
      const leaves = memory.db.column<string>(
        'SELECT summary_id FROM summary_messages GROUP BY summary_id HAVING count(*) > 1 ORDER BY 1',
      )
      if (leaves.length === 0) return false
      memory.damage('UPDATE summary_messages SET ordinal = 1000 - ordinal WHERE summary_id = :id', { id: pick(leaves) })
      return true
    },
  },
]
