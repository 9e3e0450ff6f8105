import type { TestMemory } from './memory.ts'

/** All that a conversation is, by its session, without the numbers of rows. */
export const contents = ({ db }: TestMemory): unknown => ({
  conversations: db.all(
    'SELECT session_id, title, logical_key, created_at, updated_at FROM conversations ORDER BY session_id',
  ),
  messages: db.all(
    `SELECT c.session_id, m.seq, m.role, m.token_count, m.created_at, m.external_id, m.content_hash, m.content
     FROM messages AS m JOIN conversations AS c USING (conversation_id) ORDER BY c.session_id, m.seq`,
  ),
  parts: db
    .all<Record<string, unknown>>(
      `SELECT c.session_id AS session, m.seq AS seq, p.* FROM message_parts AS p
       JOIN messages AS m USING (message_id) JOIN conversations AS c USING (conversation_id)
       ORDER BY c.session_id, m.seq, p.ordinal`,
    )
    // Parts that a compaction adds are named by the run.
    .map(({ message_id: _, part_id, ...part }) => (part.is_synthetic === 1 ? part : { part_id, ...part })),
  window: db.all(
    `SELECT c.session_id, coalesce(m.external_id, s.content) AS item FROM context_items AS i
     JOIN conversations AS c USING (conversation_id)
     LEFT JOIN messages AS m ON m.message_id = i.message_id LEFT JOIN summaries AS s ON s.summary_id = i.summary_id
     ORDER BY c.session_id, i.ordinal`,
  ),
  summaries: db.all(
    `SELECT s.kind, s.depth, s.content, s.token_count, s.source_token_count, group_concat(m.external_id) AS messages
     FROM summaries AS s LEFT JOIN summary_messages AS l USING (summary_id) LEFT JOIN messages AS m USING (message_id)
     GROUP BY s.summary_id ORDER BY s.content`,
  ),
})
