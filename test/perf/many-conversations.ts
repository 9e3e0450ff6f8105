import { existsSync } from 'node:fs'
import { openNative } from '#core/sqlite/native.ts'
import { Draft, keptPath, withSchema } from './kept-files.ts'

/** Raise when the file would be made differently. */
const RECIPE = 1

const queries = {
  triggers: /* sql */ `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`,
  fill: (conversations: number, messagesOfEach: number) => /* sql */ `
    WITH RECURSIVE counter (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counter WHERE n < ${conversations})
    INSERT INTO conversations (conversation_id, session_id, title, created_at, updated_at)
    SELECT n, 'session-' || n, 'Conversation ' || n, 1700000000000 + n * 1000, 1700000000000 + n * 1000 FROM counter;
    WITH RECURSIVE counter (n) AS (
      VALUES (0) UNION ALL SELECT n + 1 FROM counter WHERE n < ${conversations * messagesOfEach} - 1)
    INSERT INTO messages (message_id, conversation_id, seq, role, token_count, created_at, external_id, content_hash, content)
    SELECT n + 1, n / ${messagesOfEach} + 1, n % ${messagesOfEach}, CASE n % 3 WHEN 0 THEN 'user' WHEN 1 THEN 'assistant' ELSE 'tool' END,
      40 + n % 60, 1700000000000 + n * 700, 'entry-' || n, printf('%064x', n),
      'step ' || n || ' reads src/module' || (n % 97) || '/file' || (n % 13) || '.ts ' || replace(hex(zeroblob(20 + n % 40)), '00', 'and ')
    FROM counter;
    INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, is_content)
    SELECT 'part_' || message_id, message_id, 'session-' || conversation_id, 'text', 0, 1 FROM messages;
    INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
    SELECT conversation_id, seq, 'message', message_id, created_at FROM messages`,
}

/**
 * A native file with so many conversations of so many messages each, which were never compacted and are not indexed for
 * search; made once and kept in the folder for temporary files.
 */
export function manyConversations(conversations: number, messagesOfEach: number): string {
  const path = keptPath(`${withSchema(`conversations-${conversations}-${messagesOfEach}-${RECIPE}`)}.db`)
  if (existsSync(path)) return path
  using draft = new Draft(path)
  const db = openNative(draft.path)
  db.exec('PRAGMA synchronous = OFF')
  const triggers = db.all<{ name: string; sql: string }>(queries.triggers)
  db.transaction(() => {
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
    db.exec(queries.fill(conversations, messagesOfEach))
    for (const { sql } of triggers) db.exec(sql)
  })
  db.close()
  draft.keep()
  return path
}
