import type { FamilyFaults } from './family.ts'
import { twin } from './lossless.ts'

/** For the rules of `core/doctor/rules/duplicates.ts`. */
export const duplicateFaults: FamilyFaults = {
  lossless: [
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
