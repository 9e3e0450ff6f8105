import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '../../core/contract/retrieval.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../db/fixtures.ts'
import { folderState } from '../db/folder-state.ts'
import { askEveryService, withLcm } from '../dialects/every-service.ts'
import { changedCopy, copyInto, following, loosened, WITHOUT_CONSTRAINTS } from '../dialects/foreign-files.ts'

const SMALL = join(FIXTURES, 'argentos/small.db')
const GATEWAY = join(FIXTURES, 'argentos/gateway.db')
const cacheDir = join(temporaryFolder(), 'cache')
const truthOf = (path: string) => JSON.parse(readFileSync(path.replace('.db', '.truth.json'), 'utf8'))

type Session = {
  messages: number
  total_tokens: number
  max_depth: number
  context_items: number
  context_tokens: number
  context_order: string
  queries: Record<string, { hits?: number; error?: string }>
}
const sessions = Object.entries<Session>(truthOf(SMALL).sessions)

describe('a file of ArgentOS', () => {
  it('is known by its structure, and says its schema and what it lacks', () =>
    withLcm(SMALL, cacheDir, ({ info }) => {
      expect(info).toMatchObject({ system: 'argentos', systemLabel: 'ArgentOS', systemVersion: 'schema 1' })
      expect(info.capabilities).toMatchObject({ storedWindow: true, chronologicalWindow: false, fileContents: false })
      expect(info.lacks?.join(' ')).toMatch(/behind the newest message.*contents of large files are stored nowhere/)
    }))

  it('has the counts that its own system gives', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const { table_counts: tables, nodes_by_depth, edges } = truthOf(SMALL)
      const stats = lcm.stats.stats()
      expect(stats).toMatchObject({
        conversations: sessions.length,
        messages: tables.messages,
        summaries: tables.summaries,
        summariesByDepth: nodes_by_depth,
        edges: { summaryMessages: edges.summary_messages, summaryParents: edges.summary_sources },
        contextItems: tables.context_items,
        largeFiles: tables.large_files,
      })
      expect(stats.perConversation).toMatchObject(
        sessions.map(([sessionId, truth]) => ({
          sessionId,
          messages: truth.messages,
          storedTokens: truth.total_tokens,
          maxDepth: truth.max_depth,
          contextItems: truth.context_items,
          contextTokens: truth.context_tokens,
          internal: null,
        })),
      )
    }))

  it('has those counts in a polluted file too, and tells the summariser’s sessions from conversations', () =>
    withLcm(GATEWAY, cacheDir, (lcm) => {
      const truth = truthOf(GATEWAY)
      const tables = truth.table_counts
      const stats = lcm.stats.stats()
      expect(stats).toMatchObject({
        conversations: truth.session_count,
        messages: tables.messages,
        summaries: tables.summaries,
        edges: { summaryMessages: tables.summary_messages, summaryParents: tables.summary_sources },
        contextItems: tables.context_items,
        largeFiles: tables.large_files,
      })
      const rows = stats.perConversation
      expect(rows.filter((row) => row.internal)).toHaveLength(truth.synthetic_sessions)
      expect(rows.find((row) => !row.internal)?.sessionId).toBe('agent:main:main')
      for (const { session_id, messages, tokens } of truth.sessions) {
        expect(rows.find((row) => row.sessionId === session_id)).toMatchObject({ messages, storedTokens: tokens })
      }
    }))

  it('shows the window in the order in which it is stored, and says what the order of the history is', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      for (const [index, [, truth]] of sessions.entries()) {
        const stored = truth.context_order.split(' ').map((item) => item.replace(/^\d+:/, ''))
        const { items, historyOrder } = lcm.context.assemble({ conversationId: index + 1 })
        expect(items.map(({ id }) => id.replace(/^msg_/, 'm').replace(/^\d/, 's$&'))).toEqual(stored)
        expect(items.every((item) => item.included)).toBe(true)
        // The summary stands for the oldest messages: in the order of the history it is the first.
        const inHistory = historyOrder?.map((place) => items[place]?.id)
        const sorted = ['7', ...items.map(({ id }) => id).filter((id) => id !== '7')]
        expect(inHistory).toEqual(index === 0 ? sorted : undefined)
      }
    }))

  it('numbers messages, summaries and files apart: the same number names three things', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const { expand_root } = truthOf(SMALL).sessions['agent:main:main']
      const root = lcm.retrieval.describe(String(expand_root.id), 10_000)
      expect(root).toMatchObject({
        kind: 'condensed',
        depth: 1,
        tokens: expand_root.node.tokenCount,
        messages: expand_root.messages,
      })
      expect(root.sources).toEqual(expand_root.node.sourceIds.map(String))
      expect(root.level).toBe('deterministic')
      expect(lcm.retrieval.describe('msg_1', 10).kind).toBe('message')
      expect(lcm.retrieval.describe('1', 10)).toMatchObject({ kind: 'leaf', dependents: ['7'], level: 'unknown' })
      const [file] = truthOf(SMALL).sessions['agent:main:main'].large_files
      expect(lcm.retrieval.describe('file_1', 1000)).toMatchObject({
        kind: 'file',
        content: expect.stringContaining(file.explorationSummary),
        file: { fileName: file.filePath, storageUri: '' },
      })
    }))

  it('calls the result of a tool one, though it is stored as said by the assistant and its call is nowhere', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const roles = lcm.read.all<{ role: string; n: number }>('SELECT role, count(*) AS n FROM messages GROUP BY role')
      const { assistant, ...others } = truthOf(SMALL).roles
      const counted = Object.fromEntries(roles.map(({ role, n }) => [role, n]))
      expect(counted).toEqual({ ...others, assistant: 47, tool: 40 })
      expect(assistant).toBe(87)
      const [part] = lcm.transcript.message('msg_3').parts
      expect(part).toMatchObject({
        type: 'tool',
        toolCallId: null,
        toolOutput: lcm.transcript.message('msg_3').content,
      })
      expect(JSON.parse(part?.metadata ?? '')).toEqual({ toolCallId: 'toolu_000001099bf4fa' })
    }))

  it('shows summaries that were stored again with a user’s message for what they are', () =>
    withLcm(GATEWAY, cacheDir, (lcm) => {
      const parts = lcm.read.all<{ id: number; type: string; synthetic: number; text: string }>(
        `SELECT message_id AS id, part_type AS type, is_synthetic AS synthetic, text_content AS text FROM message_parts
         WHERE part_type <> 'tool' ORDER BY message_id, ordinal`,
      )
      const injected = parts.filter((part) => part.type === 'compaction')
      const own = `SELECT count(*) FROM messages WHERE role = 'user' AND content LIKE '[LCM Context — Compressed History]%'`
      expect(injected).toHaveLength(lcm.read.value(own) ?? -1)
      expect(injected.length).toBe(122)
      for (const part of injected) {
        expect(part.synthetic).toBe(1)
        expect(part.text.startsWith('[LCM Context')).toBe(true)
        expect(part.text.endsWith('[End LCM Compressed History]')).toBe(true)
        const rest = parts.find((other) => other.id === part.id && other.type === 'text')?.text ?? ''
        const whole = lcm.read.value<string>('SELECT content FROM messages WHERE message_id = :id', { id: part.id })
        expect(`${part.text}${rest}`.replaceAll(/\s/g, '')).toBe(whole?.replaceAll(/\s/g, ''))
      }
    }))

  it('finds at least what its own search finds', () =>
    withLcm(SMALL, cacheDir, async (lcm) => {
      for (const [index, [, { queries }]] of sessions.entries()) {
        for (const [asked, { hits, error }] of Object.entries(queries)) {
          // It drops operators and looks for any of the words that are left; on an open quote it fails.
          const words: readonly string[] =
            asked
              .replace(/^EDGE /, '')
              .replaceAll(/[(){}[\]^~*:"]/g, ' ')
              .match(/\S+/g) ?? []
          const isOdd = asked.startsWith('EDGE ')
          const query = isOdd ? words.map((word) => `"${word}"`).join(' OR ') : asked
          const { total } = await lcm.retrieval.grep(
            GrepInput.parse({ query, scope: 'messages', conversationIds: [index + 1], limit: 1000 }),
          )
          if (error === undefined) expect([asked, total >= (hits ?? 0)]).toEqual([asked, true])
        }
      }
    }))

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

  it('keeps the number of a conversation when others come, while it is open and later', async () => {
    const { path, read, write } = await following(SMALL, cacheDir)
    const numbers = () => read().perConversation.map(({ conversationId, sessionId }) => [conversationId, sessionId])
    const before = numbers()
    write(`INSERT INTO messages (session_id, role, content, token_count) VALUES ('aaa', 'user', 'new', 1), ('aab', 'user', 'new', 1);
      INSERT INTO messages (session_id, role, content, token_count) VALUES ('agent:main:main', 'user', 'more', 1)`)
    const after = [...before, [3, 'aaa'], [4, 'aab']]
    expect(numbers()).toEqual(after)
    expect(read()).toMatchObject({ messages: 109 })
    await withLcm(path, cacheDir, (lcm) => {
      expect(lcm.stats.conversations().map((row) => [row.conversationId, row.sessionId])).toEqual(after)
    })
  })

  it('follows a compaction: a new summary behind the newest message, the window around it', async () => {
    const { read, write, lcm } = await following(SMALL, cacheDir)
    write(`INSERT INTO summaries (session_id, depth, content, token_count) VALUES ('agent:main:telegram:4711', 0, 'in short', 2);
      INSERT INTO summary_messages SELECT 8, id FROM messages WHERE id BETWEEN 93 AND 100;
      DELETE FROM context_items WHERE kind = 'message' AND ref_id BETWEEN 93 AND 100;
      INSERT INTO context_items (session_id, kind, ref_id, position) VALUES ('agent:main:telegram:4711', 'summary', 8, 14)`)
    expect(read()).toMatchObject({ summaries: 8, contextItems: 48 })
    expect(lcm.context.assemble({ conversationId: 2 }).items.map(({ id, ordinal }) => [id, ordinal])).toEqual([
      ['msg_101', 0],
      ['msg_102', 1],
      ['msg_103', 2],
      ['msg_104', 3],
      ['msg_105', 4],
      ['msg_106', 5],
      ['8', 6],
    ])
    expect(lcm.retrieval.describe('msg_95', 10).coveredBy).toEqual(['8'])
    write(`DELETE FROM messages WHERE id = 106; UPDATE messages SET token_count = 7 WHERE id = 1`)
    expect(read().messages).toBe(105)
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
