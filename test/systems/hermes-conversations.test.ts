import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { Lcm } from '#core/lcm.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { changed, windowOf, withLcm } from './hermes-files.ts'

describe('conversations of hermes-lcm and LCM-X', () => {
  const message = (id: number, session: string, role = 'user', own = '') =>
    `INSERT INTO messages (store_id, session_id, role, content, timestamp, token_estimate${own ? ', conversation_id' : ''})
     VALUES (${id}, '${session}', '${role}', 'text ${id}', ${1000 + id}, 5${own ? `, '${own}'` : ''});`
  const node = (id: number, session: string, depth: number, type: string, sources: string) =>
    `INSERT INTO summary_nodes (node_id, session_id, depth, summary, token_count, source_ids, source_type, created_at)
     VALUES (${id}, '${session}', ${depth}, 'node ${id}', 3, '${sources}', '${type}', ${2000 + id});`
  const empty = `DELETE FROM messages; DELETE FROM summary_nodes; DELETE FROM lcm_lifecycle_state;`
  const rows = ({ stats }: Lcm) =>
    stats.conversations().map((row) => [row.conversationId, row.sessionId, row.messages, row.contextItems])

  it('are those of the lifecycle table with both of their sessions, or else the sessions', async () => {
    const path = changed(
      'hermes-lcm/small.db',
      `${empty} ${message(1, 'alone')} ${message(2, 'old', 'system')} ${message(3, 'old')} ${message(4, 'new', 'system')}
       ${message(5, 'new')} ${message(6, 'alone')} ${message(7, 'new')}
       ${node(1, 'old', 0, 'messages', '[3]')} ${node(2, 'new', 2, 'nodes', '[1]')} ${node(3, 'new', 0, 'messages', '[5]')}
       INSERT INTO lcm_lifecycle_state (conversation_id, current_session_id, last_finalized_session_id, current_frontier_store_id)
       VALUES ('talk', 'new', 'old', 5), ('bound', 'later', NULL, 0);`,
    )
    await withLcm(path, (lcm) => {
      expect(rows(lcm)).toEqual([
        [1, 'alone', 2, 2],
        [2, 'talk', 5, 4],
        [3, 'bound', 0, 0],
      ])
      expect(windowOf(lcm, 2)).toEqual(['msg_4', '2', '3', 'msg_7'])
      expect(lcm.info.capabilities).toMatchObject({ storedWindow: false, derivedWindow: expect.any(String) })
    })
  })

  it('are those that the messages name in the newer schema', async () => {
    const path = changed(
      'lcm-x/small.db',
      `${empty} ${message(1, 's', 'user', 'one')} ${message(2, 's', 'user', 'two')} ${message(3, 't', 'user', 'one')}
       ${message(4, 'u')} ${message(5, 'v', 'user', 'late')}
       INSERT INTO lcm_lifecycle_state (conversation_id, current_session_id) VALUES ('bound', 'u');`,
    )
    await withLcm(path, (lcm) => {
      expect(rows(lcm).map(([id, key, messages]) => [id, key, messages])).toEqual([
        [1, 'one', 2],
        [2, 'two', 1],
        [3, 'bound', 1],
        [4, 'late', 1],
      ])
      expect(windowOf(lcm, 1)).toEqual(['msg_3'])
    })
  })

  it('have a window that begins after what was summarised when nothing else is stored', async () => {
    const path = changed(
      'hermes-lcm/small.db',
      `${empty} ${[1, 2, 3, 4].map((id) => message(id, 's')).join('')} ${node(1, 's', 0, 'messages', '[1, 2]')}
       DROP TABLE lcm_lifecycle_state;`,
    )
    await withLcm(path, (lcm) => {
      expect(windowOf(lcm)).toEqual(['1', 'msg_3', 'msg_4'])
      expect(lcm.info.systemVersion).toBeNull()
    })
  })

  it('are read when columns stand in another order and optional ones are missing', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const db = new Database(path)
    db.exec(`
      CREATE TABLE messages (content TEXT, role TEXT NOT NULL, timestamp REAL, store_id INTEGER PRIMARY KEY, session_id TEXT);
      CREATE TABLE summary_nodes (source_ids TEXT, source_type TEXT, summary TEXT, depth INTEGER, token_count INTEGER,
        session_id TEXT, node_id INTEGER PRIMARY KEY);
      INSERT INTO messages VALUES ('hello', 'user', 1.5, 1, 's');
      INSERT INTO summary_nodes VALUES ('[1]', 'messages', 'greeting', 0, 2, 's', 1)`)
    db.close()
    await withLcm(path, (lcm) => {
      expect(rows(lcm)).toEqual([[1, 's', 1, 1]])
      expect(lcm.transcript.message('msg_1')).toMatchObject({ content: 'hello', createdAtMs: 1500, parts: [] })
      expect(lcm.retrieval.describe('1', 99)).toMatchObject({ kind: 'leaf', sources: ['msg_1'], earliestAtMs: 1500 })
    })
  })
})
