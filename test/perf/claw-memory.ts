import { existsSync } from 'node:fs'
import { losslessClawWriters } from '../builders/systems/lossless.ts'
import { Draft, keptPath } from './kept-files.ts'

/** 1,300 messages are about 9 MB, half of it parts and the system's own search index. */
const MESSAGES_A_MB = 143
/** How many times longer long texts are: 20 KB, which SQLite keeps in chains of pages beside the row. */
const LONGER = 20
const LEAF_MESSAGES = 20
const FAN_IN = 4

/**
 * A file of so many megabytes as lossless-claw lays it out, at rest; made once and kept with the temporary files.
 * `long`: fewer messages, each with a text of 20 KB in place of one.
 */
export function clawMemory(megabytes: number, texts: 'short' | 'long' = 'short'): string {
  const path = keptPath(`claw-${megabytes}${texts === 'long' ? '-long' : ''}.db`)
  if (existsSync(path)) return path
  using draft = new Draft(path)
  const file = losslessClawWriters[1]?.open(draft.path)
  if (!file) throw new Error('no writer')
  file.db.pragma('synchronous = OFF')
  const longer = texts === 'long' ? LONGER : 1
  file.db.exec(fill(Math.floor((megabytes * MESSAGES_A_MB) / longer), longer))
  file.db.pragma('wal_checkpoint(TRUNCATE)')
  file.db.close()
  draft.keep()
  return path
}

/** One conversation, the oldest seven of ten messages summarised, and most of those summaries again. */
const fill = (messages: number, longer: number): string => {
  const covered = Math.floor((messages * 0.7) / (LEAF_MESSAGES * FAN_IN)) * LEAF_MESSAGES * FAN_IN
  const leaf = (k: string): string => `'sum_' || printf('%016x', ${k})`
  const condensed = (k: string): string => `'sum_c' || printf('%015x', ${k})`
  return `
BEGIN;
CREATE TEMP TABLE n AS WITH RECURSIVE c (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < ${messages}) SELECT n FROM c;
CREATE TEMP TABLE leaf AS SELECT (n - 1) / ${LEAF_MESSAGES} AS k, max(n) AS last FROM n WHERE n <= ${covered} GROUP BY 1;
INSERT INTO conversations (conversation_id, session_id) VALUES (1, 'long');
INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, created_at, transcript_entry_id)
SELECT n, 1, n, CASE n % 3 WHEN 1 THEN 'user' WHEN 2 THEN 'assistant' ELSE 'tool' END,
  'message ' || n || ' ' || replace(hex(randomblob((60 + n % 37 * 12) * ${longer})), 'A', 'lease of billing '), 200 + n % 300,
  datetime(1770000000 + n * 7, 'unixepoch'), 'entry-' || n FROM n;
INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, text_content, tool_call_id, metadata)
SELECT 'p' || message_id, message_id, 's', 'text', 0, content, iif(role = 'tool', 'call_' || message_id, NULL),
  json_object('raw', json_object('type', 'text', 'text', content)) FROM messages;
INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, tool_call_id, tool_name, tool_input, metadata)
SELECT 'q' || message_id, message_id, 's', 'tool', 1, 'call_' || (message_id + 1), 'read', '{"path":"a.ts"}', '{}'
FROM messages WHERE role = 'assistant';
INSERT INTO summaries (summary_id, conversation_id, kind, depth, content, token_count, earliest_at, latest_at, created_at, source_message_token_count)
SELECT ${leaf('k')}, 1, 'leaf', 0, 'Leaf ' || k || hex(randomblob(800)), 500, '2026-02-02T00:00:00Z', '2026-02-03T00:00:00Z',
  strftime('%Y-%m-%dT%H:%M:%SZ', 1770000000 + last * 7, 'unixepoch'), 6000 FROM leaf;
INSERT INTO summary_messages
SELECT ${leaf(`(n - 1) / ${LEAF_MESSAGES}`)}, n, (n - 1) % ${LEAF_MESSAGES} FROM n WHERE n <= ${covered};
INSERT INTO summaries (summary_id, conversation_id, kind, depth, content, token_count, earliest_at, latest_at, created_at,
  source_message_token_count, descendant_count)
SELECT ${condensed(`k / ${FAN_IN}`)}, 1, 'condensed', 1, 'Condensed ' || hex(randomblob(800)), 800, '2026-02-02T00:00:00Z',
  '2026-02-03T00:00:00Z', strftime('%Y-%m-%dT%H:%M:%SZ', 1770000001 + max(last) * 7, 'unixepoch'), 24000, ${FAN_IN}
FROM leaf GROUP BY k / ${FAN_IN};
INSERT INTO summary_parents SELECT ${condensed(`k / ${FAN_IN}`)}, ${leaf('k')}, k % ${FAN_IN} FROM leaf;
INSERT INTO context_items (conversation_id, ordinal, item_type, summary_id)
SELECT 1, k / ${FAN_IN}, 'summary', ${condensed(`k / ${FAN_IN}`)} FROM leaf GROUP BY k / ${FAN_IN};
INSERT INTO context_items (conversation_id, ordinal, item_type, message_id)
SELECT 1, ${covered} + n, 'message', n FROM n WHERE n > ${covered};
INSERT INTO messages_fts (rowid, content) SELECT message_id, content FROM messages;
COMMIT;`
}
