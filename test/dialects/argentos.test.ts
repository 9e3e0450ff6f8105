import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../db/fixtures.ts'
import { folderState } from '../db/folder-state.ts'
import { askEveryService, withLcm } from './every-service.ts'
import { changedCopy, copyInto, loosened, WITHOUT_CONSTRAINTS } from './foreign-files.ts'

const SMALL = join(FIXTURES, 'argentos/small.db')
const GATEWAY = join(FIXTURES, 'argentos/gateway.db')
const cacheDir = join(temporaryFolder(), 'cache')

describe('a file of ArgentOS', () => {
  it('gives every summary back as its messages, all of them', () =>
    withLcm(GATEWAY, cacheDir, (lcm) => {
      for (const summaryId of lcm.read.column<string>('SELECT summary_id FROM summaries')) {
        const input = { summaryId, depth: 100, includeMessages: true, tokenCap: 1_000_000 }
        const { messages, truncated } = lcm.retrieval.expand(input)
        expect([truncated, messages.length]).toEqual([false, lcm.retrieval.describe(summaryId, 0).messages])
      }
    }))

  it.each([
    ['small', SMALL],
    ['gateway', GATEWAY],
  ])('answers every service from %s, and leaves no trace', async (_name, path) => {
    const copy = copyInto(temporaryFolder(), path)
    const before = folderState(dirname(copy))
    await withLcm(copy, cacheDir, askEveryService)
    expect(folderState(dirname(copy))).toEqual(before)
  })

  it('reads stored blocks as parts, and joins a result to its call', async () => {
    const blocks = [
      { type: 'thinking', thinking: 'Which file?' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'call_a', name: 'read', input: { path: 'a.ts' } },
      { type: 'hologram', rays: 3 },
      'bare',
    ]
    const path = changedCopy(SMALL, (db) => {
      const insert = db.prepare(
        'INSERT INTO messages (session_id, role, content, tool_call_id, content_blocks) VALUES (?, ?, ?, ?, ?)',
      )
      insert.run('blocks', 'assistant', '[Thinking] Which file?\nI look.', null, JSON.stringify(blocks))
      insert.run('blocks', 'assistant', 'content of a.ts', 'call_a', null)
      insert.run(
        'blocks',
        'user',
        'x',
        null,
        JSON.stringify([{ type: 'tool_result', toolUseId: 'call_a', content: [{ type: 'text', text: 'x' }] }]),
      )
      insert.run('blocks', 'user', 'only this', null, JSON.stringify([{ type: 'text', text: 'only this' }]))
      insert.run('blocks', 'user', 'broken', null, '{"type": "tex')
    })
    await withLcm(path, cacheDir, async (lcm) => {
      const { messages } = lcm.transcript.page({ conversationId: 3, offset: 0, limit: 9, contentChars: 1000 })
      expect(messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
        ['assistant', ['reasoning', 'text', 'tool', 'text', 'text']],
        ['tool', ['tool']],
        ['tool', ['tool']],
        ['user', ['text']],
        ['user', []],
      ])
      const [call, result, later, said] = messages
      expect(call?.parts[2]).toMatchObject({ toolCallId: 'call_a', toolName: 'read', toolInput: '{"path":"a.ts"}' })
      expect(call?.parts[3]).toMatchObject({ text: null, metadata: '{"type":"hologram","rays":3}' })
      expect(result?.parts[0]).toMatchObject({ toolCallId: 'call_a', toolOutput: 'content of a.ts' })
      expect(later?.parts[0]).toMatchObject({ toolCallId: 'call_a', toolOutput: 'x' })
      expect(said?.parts[0]?.text).toBe('only this')
      await askEveryService(lcm)
    })
  })

  describe('that is not as it should be', () => {
    it.each([
      ['no large files', 'DROP TABLE large_files'],
      ['no lineage', 'DROP TABLE summary_messages; DROP TABLE summary_sources'],
      ['no messages', 'DROP TABLE messages; DROP TABLE messages_fts'],
      [
        'none of the later columns',
        'ALTER TABLE messages DROP COLUMN tool_call_id; ALTER TABLE messages DROP COLUMN content_blocks',
      ],
      [
        'nothing in it',
        'DELETE FROM messages; DELETE FROM summaries; DELETE FROM summary_messages; DELETE FROM summary_sources; DELETE FROM context_items; DELETE FROM large_files',
      ],
      [
        'sessions without messages',
        `INSERT INTO large_files (session_id, file_path, token_count, exploration_summary) VALUES ('later', 'a', 1, 'b'); DELETE FROM messages WHERE session_id LIKE '%telegram%'`,
      ],
      [
        'links that lead nowhere and in circles',
        'INSERT INTO summary_messages VALUES (999, 5), (1, 99999); INSERT INTO summary_sources VALUES (7, 888), (1, 7), (777, 1)',
      ],
      [
        'a window that names nothing',
        `INSERT INTO context_items (session_id, kind, ref_id, position) VALUES ('agent:main:main', 'message', 99999, 500), ('nobody', 'summary', 999, 0)`,
      ],
      [
        'broken JSON',
        `UPDATE messages SET content_blocks = '[{"type":"text"' WHERE id = 1; UPDATE messages SET content_blocks = '{}' WHERE id = 2; UPDATE messages SET content_blocks = '[1, null, [2], {"type": 5, "text": {"a": 1}}, {"type":"tool_use"}]' WHERE id = 4`,
      ],
      [
        'huge numbers',
        `UPDATE messages SET token_count = 9223372036854775807 WHERE id = 1; INSERT INTO messages (id, session_id, role, content) VALUES (9007199254740000, 'far', 'user', 'away')`,
      ],
      [
        'anything in any column',
        loosened(
          ['messages', 'summaries', 'summary_messages', 'summary_sources', 'context_items', 'large_files'],
          `
        UPDATE messages SET role = NULL, created_at = 'yesterday' WHERE id = 1; UPDATE messages SET content = NULL, session_id = NULL WHERE id = 2;
        UPDATE messages SET token_count = 'many', content = x'ff00fe' WHERE id = 3; UPDATE messages SET tool_call_id = 5.5, created_at = 17 WHERE id = 5;
        UPDATE messages SET id = 'x' WHERE id = 6; UPDATE messages SET id = NULL WHERE id = 7; UPDATE messages SET id = 9 WHERE id = 8;
        UPDATE summaries SET depth = 'deep', content = NULL, session_id = NULL WHERE id = 2; UPDATE summaries SET token_count = NULL WHERE id = 3;
        UPDATE summaries SET id = 5 WHERE id = 4; INSERT INTO summary_messages VALUES (NULL, 3), (1, 'three'), ('one', 1);
        UPDATE context_items SET kind = 'dream' WHERE position = 60; UPDATE context_items SET ref_id = NULL WHERE position = 61;
        UPDATE context_items SET position = NULL WHERE position = 62; UPDATE large_files SET session_id = 7, exploration_summary = NULL, file_path = NULL`,
        ),
      ],
    ])('is read as far as it goes: %s', async (_what, sql) => {
      const path = changedCopy(SMALL, (db) => db.exec(`${WITHOUT_CONSTRAINTS}; ${sql}`))
      const before = folderState(dirname(path))
      await withLcm(path, cacheDir, askEveryService)
      expect(folderState(dirname(path))).toEqual(before)
    })
  })
})
