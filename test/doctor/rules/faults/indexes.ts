import type { FamilyFaults } from './family.ts'
import { at, messages } from './generated.ts'
import { LEAF } from './lossless.ts'

/** For the rules of `core/doctor/rules/indexes.ts`. */
export const indexFaults: FamilyFaults = {
  compacted: [
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
  ],
  lossless: [
    { name: 'index of messages dropped', rule: 'fts_in_sync', damage: 'DROP TABLE messages_fts' },
    { name: 'substring index dropped', rule: 'fts_in_sync', damage: 'DROP TABLE summaries_fts_cjk' },
    {
      name: 'index with an old text',
      rule: 'fts_in_sync',
      at: 'msg_10',
      damage: `UPDATE messages_fts SET content = 'what it was' WHERE rowid = 10`,
    },
    {
      name: 'index of summaries with an old text',
      rule: 'fts_in_sync',
      at: LEAF,
      damage: `UPDATE summaries_fts SET content = 'what it was' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'index without some summaries',
      rule: 'fts_in_sync',
      at: LEAF,
      damage: `DELETE FROM summaries_fts WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'index with rows too many',
      rule: 'fts_in_sync',
      damage: `INSERT INTO messages_fts (rowid, content) VALUES (999, 'nobody')`,
    },
    {
      name: 'index that lists a summary twice',
      rule: 'fts_in_sync',
      at: LEAF,
      damage: `INSERT INTO summaries_fts (summary_id, content) SELECT summary_id, content FROM summaries WHERE summary_id = '${LEAF}'`,
    },
  ],
  generated: [
    at('fts_in_sync', messages, (world, { id }) =>
      world.damage(
        world.form === 'native'
          ? `INSERT INTO messages_fts (messages_fts, rowid, content, tool_input, tool_output, reasoning)
           SELECT 'delete', * FROM message_text WHERE message_id = :id`
          : 'DELETE FROM messages_fts WHERE rowid = :id',
        { id },
      ),
    ),
  ],
}
