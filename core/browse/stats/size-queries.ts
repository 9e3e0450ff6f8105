/** Of every conversation, or of the one that `:conversationId` names. */
export type Where = '' | 'WHERE conversation_id = :conversationId'

/** What the sizes of conversations are added up from. */
export const queries = {
  /** What an index of messages tells; the texts are not read over. */
  counts: (where: Where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS messages
    FROM messages ${where}
    GROUP BY conversation_id`,

  stored: (where: Where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS messages, CAST(total(token_count) AS INTEGER) AS tokens
    FROM messages ${where}
    GROUP BY conversation_id`,

  storedOf: /* sql */ `
    SELECT conversation_id AS conversationId, CAST(total(token_count) AS INTEGER) AS tokens
    FROM messages
    WHERE conversation_id IN (SELECT value FROM json_each(:ids))
    GROUP BY conversation_id`,

  windows: (where: Where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS items, count(message_id) AS messages
    FROM context_items ${where}
    GROUP BY conversation_id`,

  entries: /* sql */ `SELECT count(*) FROM context_items`,
}
