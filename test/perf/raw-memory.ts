import { join } from 'node:path'
import { openNative } from '#core/sqlite/native.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const CONTENT = `'step ' || n || ': ' || hex(randomblob(40)) || ' read src/module' || (n % 97) || '/file' || (n % 13) || '.ts, line ' ||
  (n % 400) || CASE n % 5 WHEN 0 THEN ' failed with TimeoutError: Lease ' || n || ' is gone' ELSE ' and went on as planned' END ||
  '. ' || replace(hex(zeroblob(n % 40)), '00', 'then ')`

/** A memory with one conversation that was never compacted; every third message calls a tool that the next one answers. */
export function rawMemory(messages: number): { readonly path: string; readonly db: WriteDb } {
  const path = join(temporaryFolder(), 'lcm.db')
  const db = openNative(path)
  const counting = `WITH RECURSIVE counter (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counter WHERE n < ${messages})`
  const triggers = db.all<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
  db.transaction(() => {
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
    db.exec(`
      INSERT INTO conversations (session_id, created_at, updated_at) VALUES ('bench', 1, 1);
      ${counting} INSERT INTO messages (message_id, conversation_id, seq, role, token_count, created_at, content_hash, content)
      SELECT n, 1, n - 1, CASE n % 3 WHEN 1 THEN 'user' WHEN 2 THEN 'assistant' ELSE 'tool' END, 0, 1700000000000 + n * 1000,
        lower(hex(randomblob(32))), ${CONTENT} FROM counter;
      UPDATE messages SET token_count = length(content) / 4 + 1;
      INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, is_content)
      SELECT 'text_' || message_id, message_id, 'bench', 'text', 0, 1 FROM messages WHERE role <> 'tool';
      INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, tool_call_id, tool_name, tool_input)
      SELECT 'call_' || message_id, message_id, 'bench', 'tool', 1, 'call_' || message_id, 'read', '{"path":"a.ts"}'
      FROM messages WHERE role = 'assistant';
      INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, is_content, tool_call_id, tool_output)
      SELECT 'result_' || message_id, message_id, 'bench', 'tool', 0, 1, 'call_' || (message_id - 1), content
      FROM messages WHERE role = 'tool';
      INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
      SELECT 1, seq, 'message', message_id, created_at FROM messages;`)
    for (const { sql } of triggers) db.exec(sql)
  })
  return { path, db }
}
