import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openMemory } from '../builders/open-memory.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { tellStory } from '../builders/systems/story.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { everything } from './everything.ts'

const UNCHECKED = 'PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;'

/** What is done to a file after its second session was written, in the system's own tables. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  ArgentOS: [
    `INSERT INTO context_items (session_id, kind, ref_id, position)
      SELECT session_id, 'message', max(ref_id), max(position) + 5 FROM context_items GROUP BY session_id`,
    `DELETE FROM context_items WHERE id IN (SELECT id FROM context_items ORDER BY id LIMIT 3)`,
    `UPDATE context_items SET ref_id = ref_id + 1 WHERE id = (SELECT min(id) FROM context_items)`,
    `UPDATE context_items SET position = position + 1000 WHERE id = (SELECT min(id) FROM context_items)`,
    `${UNCHECKED} UPDATE context_items SET kind = 'summary', ref_id = 1 WHERE id = (SELECT max(id) FROM context_items)`,
    `${UNCHECKED} UPDATE context_items SET position = 'behind' WHERE id = (SELECT max(id) FROM context_items)`,
    `UPDATE context_items SET position = 100000 WHERE id = (SELECT max(id) FROM context_items)`,
    `DELETE FROM context_items WHERE session_id = (SELECT min(session_id) FROM context_items)`,
    `${UNCHECKED} UPDATE summary_messages SET message_id = message_id + 1000
      WHERE rowid = (SELECT min(rowid) FROM summary_messages)`,
    `${UNCHECKED} DELETE FROM messages WHERE id = 2`,
    `${UNCHECKED} DELETE FROM messages`,
  ],
  'lossless-claude': [
    `UPDATE summary_messages SET ordinal = ordinal + 100 WHERE rowid = (SELECT min(rowid) FROM summary_messages)`,
    `DELETE FROM summary_messages WHERE rowid = (SELECT min(rowid) FROM summary_messages)`,
    `${UNCHECKED} INSERT INTO summary_messages (summary_id, message_id, ordinal)
      SELECT min(summary_id), (SELECT max(message_id) + 1 FROM messages), 50 FROM summary_messages`,
    `INSERT INTO messages (conversation_id, seq, role, content, token_count, created_at)
      SELECT conversation_id, seq + 1, 'user', 'late', 1, '2030-01-01 00:00:00'
      FROM messages ORDER BY message_id DESC LIMIT 1`,
    `${UNCHECKED} DELETE FROM messages WHERE message_id = (SELECT min(message_id) FROM summary_messages)`,
    `${UNCHECKED} DELETE FROM summary_parents`,
    `${UNCHECKED} DELETE FROM summaries WHERE rowid = (SELECT min(rowid) FROM summaries)`,
  ],
  'hermes-lcm, schema 5': [
    `INSERT INTO messages (session_id, conversation_id, role, content, timestamp)
      SELECT session_id, conversation_id, 'user', 'late', timestamp + 1 FROM messages WHERE store_id IN (1, 2)`,
    `${UNCHECKED} UPDATE messages SET session_id = x'00ff' WHERE store_id = 3`,
    `UPDATE messages SET conversation_id = NULL WHERE store_id = 4`,
    `UPDATE messages SET conversation_id = 'elsewhere' WHERE store_id = (SELECT max(store_id) FROM messages)`,
    `DELETE FROM messages WHERE store_id = 6`,
    `DELETE FROM summary_nodes WHERE node_id = (SELECT min(node_id) FROM summary_nodes)`,
    `DELETE FROM messages WHERE store_id > 12`,
  ],
}

test.each(Object.entries(CHANGES))(
  'a memory of %s that is followed while it changes equals one that is read afresh',
  (name, changes) => {
    const writer = WRITERS.find((one) => one.name === name)
    if (!writer) throw new Error(`no writer ${name}`)
    const folder = temporaryFolder()
    const path = join(folder, 'lcm.db')
    const options = { cacheDir: join(folder, 'cache') }
    const file = writer.open(path)
    const { sessions } = writer.tell(tellStory({ seed: 6, sessions: 2, turns: 14, leafMessages: 4 }))
    const followed: ReturnType<typeof openMemory>[] = []
    const compare = (step: string): void => {
      followed[0] ??= openMemory(path, options)
      using fresh = openMemory(path, options)
      expect(everything(followed[0].read), `after ${step}`).toEqual(everything(fresh.read))
    }
    for (const session of sessions) {
      file.begin(session)
      for (const message of session.messages) file.message(session, message)
      compare(`messages of ${session.id}`)
      for (const summary of session.summaries) file.summary(session, summary)
      compare(`summaries of ${session.id}`)
      file.window(session)
      compare(`window of ${session.id}`)
    }
    for (const change of changes) {
      file.db.exec(change)
      compare(change)
    }
    followed[0]?.close()
    file.db.close()
  },
)
