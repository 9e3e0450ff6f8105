import type { Fault } from './fault.ts'

export const indexFaults: readonly Fault[] = [
  {
    name: 'a message that the index lacks',
    rule: 'fts_in_sync',
    inject: (memory, pick) => {
      // Another fault may have taken the whole index away.
      if (memory.db.value("SELECT 1 FROM sqlite_schema WHERE name = 'messages_fts'") === undefined) return false
      const id = pick(memory.db.column<number>('SELECT message_id FROM messages ORDER BY 1'))
      memory.damage(
        `INSERT INTO messages_fts (messages_fts, rowid, content, tool_input, tool_output, reasoning)
         SELECT 'delete', message_id, content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = :id`,
        { id },
      )
      return true
    },
  },
  {
    name: 'a trigger of the index is gone',
    rule: 'fts_trigger_missing',
    inject: (memory, pick) => {
      const triggers = memory.db.column<string>(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%index%' ORDER BY 1",
      )
      if (triggers.length === 0) return false
      memory.db.exec(`DROP TRIGGER ${pick(triggers)}`)
      return true
    },
  },
  {
    name: 'an index is gone',
    rule: 'fts_in_sync',
    inject: (memory, pick) => {
      const indexes = ['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram']
      memory.db.exec(`DROP TABLE IF EXISTS ${pick(indexes)}`)
      return true
    },
  },
]
