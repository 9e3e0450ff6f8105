import type { FamilyFaults } from './family.ts'
import { twin } from './lossless.ts'

/** Messages 59 to 68 with their parts, stored again a second apart as 69 to 78, a day later. */
export const blockAgain = `
  INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, identity_hash, created_at)
    SELECT message_id + 10, conversation_id, seq + 10, role, content, token_count, identity_hash,
      datetime('2025-09-02 10:00:00', '+' || seq || ' seconds')
    FROM messages WHERE message_id BETWEEN 59 AND 68;
  INSERT INTO messages_fts (rowid, content) SELECT message_id, content FROM messages WHERE message_id > 68 AND content <> '';
  INSERT INTO context_items (conversation_id, ordinal, item_type, message_id)
    SELECT 1, message_id - 57, 'message', message_id FROM messages WHERE message_id > 68;
  INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, text_content, tool_call_id, tool_name,
      tool_input, tool_output, metadata)
    SELECT 'again-' || part_id, message_id + 10, session_id, part_type, ordinal, text_content, tool_call_id, tool_name,
      tool_input, tool_output, metadata
    FROM message_parts WHERE message_id BETWEEN 59 AND 68;`

/** For the rules of `core/doctor/rules/duplicates.ts`. */
export const duplicateFaults: FamilyFaults = {
  lossless: [
    { name: 'block of messages that was read in again', rule: 'duplicate_message', at: 'msg_69', damage: blockAgain },
    {
      name: 'message that was recorded twice',
      rule: 'duplicate_message',
      at: 'msg_69',
      damage: twin('role, content, token_count, identity_hash, created_at'),
    },
    {
      name: 'entry of the transcript that two messages are from',
      rule: 'duplicate_message',
      at: 'msg_4',
      damage: `DROP INDEX messages_conv_entry_unique_idx; UPDATE messages SET transcript_entry_id = 'e' WHERE message_id IN (3, 4);
      CREATE INDEX messages_conv_entry_unique_idx ON messages (conversation_id, transcript_entry_id)`,
    },
  ],
}
