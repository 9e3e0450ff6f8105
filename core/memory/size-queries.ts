/** Of every conversation, or of the one that `:conversationId` names. */
export type Where = '' | 'WHERE conversation_id = :conversationId'

/** Tells apart, as far as numbers can, which messages there are. */
const numbers = "total(message_id) || ' ' || min(message_id) || ' ' || max(message_id) AS numbers"

/** What the sizes of conversations are added up from. */
export const queries = {
  /** What an index of messages tells; the texts are not read over. */
  counts: (where: Where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS messages, ${numbers}
    FROM messages ${where}
    GROUP BY conversation_id`,

  stored: (where: Where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS messages, CAST(total(token_count) AS INTEGER) AS tokens,
      ${numbers}
    FROM messages ${where}
    GROUP BY conversation_id`,

  storedOf: /* sql */ `
    SELECT conversation_id AS conversationId, CAST(total(token_count) AS INTEGER) AS tokens
    FROM messages
    WHERE conversation_id IN (SELECT value FROM json_each(:ids))
    GROUP BY conversation_id`,

  windows: (where: Where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS items, count(message_id) AS messages,
      ${numbers}
    FROM context_items ${where}
    GROUP BY conversation_id`,

  // The window is joined before it is grouped: it is small where a memory is compacted, messages never are.
  windowTokens: /* sql */ `
    SELECT c.conversation_id AS conversationId, CAST(total(coalesce(m.token_count, s.token_count)) AS INTEGER) AS tokens
    FROM (
      SELECT conversation_id, message_id, summary_id FROM context_items
      WHERE conversation_id IN (SELECT value FROM json_each(:ids))
    ) AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
    GROUP BY c.conversation_id`,

  windowMessages: /* sql */ `
    SELECT message_id FROM context_items
    WHERE conversation_id = :conversationId AND message_id IS NOT NULL AND summary_id IS NULL`,

  /** Of the items of a window that name a summary, or one of some messages. */
  otherWindowTokens: /* sql */ `
    SELECT CAST(total(coalesce(m.token_count, s.token_count)) AS INTEGER) AS tokens
    FROM (
      SELECT message_id, summary_id FROM context_items
      WHERE conversation_id = :conversationId
        AND (summary_id IS NOT NULL OR message_id IN (SELECT value FROM json_each(:ids)))
    ) AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    LEFT JOIN summaries AS s ON s.summary_id = c.summary_id`,
}
