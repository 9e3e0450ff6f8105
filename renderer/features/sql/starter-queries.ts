import type { SavedQuery } from '../../../core/contract/sql.ts'

/** Queries that every memory answers, of whatever system. */
export const STARTER_QUERIES: readonly SavedQuery[] = [
  {
    name: 'Messages and tokens by role',
    sql: `SELECT role, count(*) AS messages, sum(token_count) AS tokens
FROM messages
GROUP BY role
ORDER BY tokens DESC`,
  },
  {
    name: 'Messages and tokens by day',
    sql: `SELECT date(created_at / 1000, 'unixepoch') AS day, count(*) AS messages, sum(token_count) AS tokens
FROM messages
GROUP BY day
ORDER BY day`,
  },
  {
    name: 'Largest messages',
    sql: `SELECT message_id, conversation_id, role, token_count, substr(content, 1, 120) AS begins
FROM messages
ORDER BY token_count DESC
LIMIT 50`,
  },
  {
    name: 'Tools by calls',
    sql: `SELECT tool_name, count(*) AS calls, sum(tool_status = 'error') AS errors
FROM message_parts
WHERE part_type = 'tool'
GROUP BY tool_name
ORDER BY calls DESC`,
  },
  {
    name: 'Summaries by depth and level',
    sql: `SELECT depth, level, count(*) AS summaries, sum(token_count) AS tokens, sum(source_token_count) AS source_tokens
FROM summaries
GROUP BY depth, level
ORDER BY depth, level`,
  },
  {
    name: 'Summaries that save least',
    sql: `SELECT summary_id, depth, token_count, source_token_count, round(1.0 * token_count / source_token_count, 2) AS share
FROM summaries
WHERE source_token_count > 0
ORDER BY share DESC
LIMIT 50`,
  },
]
