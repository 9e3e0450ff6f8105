import type { PartRows } from '../system-facts.ts'

const queries = {
  without: /* sql */ `
    SELECT m.message_id AS messageId, m.conversation_id AS conversationId
    FROM main.messages AS m
    WHERE m.message_id > :after AND m.message_id <= :upTo
      AND NOT EXISTS (SELECT 1 FROM main.message_parts AS p WHERE p.message_id = m.message_id)`,
  otherSessions: /* sql */ `
    SELECT m.message_id AS messageId, m.conversation_id AS conversationId, m.seq
    FROM main.messages AS m
    JOIN main.conversations AS c ON c.conversation_id = m.conversation_id
    JOIN main.message_parts AS p ON p.message_id = m.message_id
    WHERE m.message_id > :after AND m.message_id <= :upTo AND p.session_id <> c.session_id
    ORDER BY m.message_id`,
  newestOtherSessions: /* sql */ `
    SELECT m.conversation_id AS conversationId, max(m.seq) AS seq
    FROM main.messages AS m
    JOIN main.conversations AS c ON c.conversation_id = m.conversation_id
    JOIN main.message_parts AS p ON p.message_id = m.message_id
    WHERE m.message_id > :after AND m.message_id <= :upTo AND p.session_id <> c.session_id
    GROUP BY m.conversation_id`,
  sessionBegan: /* sql */ `
    SELECT m.seq
    FROM main.conversations AS c
    JOIN main.messages AS m ON m.conversation_id = c.conversation_id
    JOIN main.message_parts AS p ON p.message_id = m.message_id AND p.session_id = c.session_id
    WHERE c.conversation_id = :conversation
    ORDER BY m.seq LIMIT 1`,
  uncalled: /* sql */ `
    SELECT 'msg_' || m.message_id AS id, m.conversation_id AS conversationId,
      'a result that does not say of which call' AS detail
    FROM main.messages AS m
    WHERE m.message_id > :after AND m.message_id <= :upTo AND m.role = 'tool'
      AND EXISTS (SELECT 1 FROM main.message_parts AS p WHERE p.message_id = m.message_id)
      AND NOT EXISTS (SELECT 1 FROM main.message_parts AS p
        WHERE p.message_id = m.message_id AND coalesce(p.tool_call_id, '') <> '')`,
  /** Places are written out only of those that are found: for every message that takes six times as long. */
  misnumbered: /* sql */ `
    SELECT 'msg_' || m.message_id AS id, m.conversation_id AS conversationId,
      (SELECT count(*) || ' parts at the places ' || group_concat(p.ordinal, ', ' ORDER BY p.ordinal)
        FROM main.message_parts AS p WHERE p.message_id = m.message_id) AS detail
    FROM (
      SELECT p.message_id AS id FROM main.message_parts AS p
      WHERE p.message_id > :after AND p.message_id <= :upTo
      GROUP BY p.message_id
      HAVING min(p.ordinal) <> 0 OR max(p.ordinal) <> count(*) - 1 OR count(DISTINCT p.ordinal) <> count(*)
    ) AS found
    JOIN main.messages AS m ON m.message_id = found.id`,
  /** What is said twice in the file: once in the message, once in its only part with text. */
  otherText: (only: string) => /* sql */ `
    SELECT 'msg_' || m.message_id AS id, m.conversation_id AS conversationId,
      'its part has another text than the message' AS detail
    FROM main.messages AS m
    JOIN main.message_parts AS p ON p.message_id = m.message_id AND p.part_type = 'text'
    WHERE m.message_id > :after AND m.message_id <= :upTo AND m.role IN ('user', 'assistant') ${only}
      AND p.text_content <> m.content
      AND (SELECT count(*) FROM main.message_parts AS o WHERE o.message_id = m.message_id AND o.part_type = 'text') = 1`,
}

/** On a part `t`: its text is not that of its message, whatever other parts the message has. */
const hasOtherText = (only: string): string => `t.part_type = 'text' AND EXISTS (
  SELECT 1 FROM main.messages AS m
  WHERE m.message_id = t.message_id AND m.role IN ('user', 'assistant') ${only} AND t.text_content <> m.content)`

/** A message is kept twice, whole and in parts, which have to be kept in step. */
export const storedParts: PartRows = {
  without: queries.without,
  otherSessions: { all: queries.otherSessions, newest: queries.newestOtherSessions },
  sessionBegan: queries.sessionBegan,
  misnumbered: queries.misnumbered,
  otherText: (probe) => {
    const only = probe.has('messages', 'large_content') ? 'AND m.large_content IS NULL' : ''
    return { condition: hasOtherText(only), sql: queries.otherText(only) }
  },
  // Earlier releases have it in the original block only.
  uncalled: (probe) =>
    probe.has('lcm_migration_state') && probe.has('message_parts', 'tool_call_id') ? queries.uncalled : null,
}
