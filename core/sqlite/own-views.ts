/**
 * TEMP views over a native file under names that files of other systems need. A message with the role system that holds
 * only records of compactions came from another system, which stores them as messages.
 */
export const OWN_VIEWS = /* sql */ `
CREATE TEMP VIEW internal_conversations AS SELECT NULL AS conversation_id, NULL AS note WHERE 0;
CREATE TEMP VIEW stored_ranges AS SELECT NULL AS summary_id, NULL AS earliest_at, NULL AS latest_at WHERE 0;
-- With the conversation named, the unique index of messages by their external ids answers.
CREATE TEMP VIEW message_names AS
SELECT m.external_id, m.message_id
FROM main.conversations AS c
JOIN main.messages AS m ON m.conversation_id = c.conversation_id;
CREATE TEMP VIEW event_messages AS
SELECT m.message_id
FROM main.messages AS m
WHERE m.role = 'system'
  AND EXISTS (SELECT 1 FROM main.message_parts AS p
    WHERE p.message_id = m.message_id AND p.part_type = 'compaction' AND p.is_synthetic = 0)
  AND NOT EXISTS (SELECT 1 FROM main.message_parts AS p
    WHERE p.message_id = m.message_id AND p.part_type <> 'compaction');
`
