import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { folderState } from '../sqlite/folder-state.ts'
import { askEveryService, withLcm } from './every-service.ts'
import { changedCopy, following, loosened, stored, WITHOUT_CONSTRAINTS } from './foreign-files.ts'

const SMALL = join(FIXTURES, 'argentos/small.db')
const GATEWAY = join(FIXTURES, 'argentos/gateway.db')
const cacheDir = join(temporaryFolder(), 'cache')

type Item = { session: string; kind: 'message' | 'summary'; ref: number }
const WINDOW = 'SELECT session_id AS session, kind, ref_id AS ref FROM context_items ORDER BY session_id, position'
const idOf = ({ kind, ref }: Item): string => (kind === 'message' ? `msg_${ref}` : String(ref))

describe('a file of ArgentOS', () => {
  it('is recognised by its structure, and names its schema and what it lacks', () =>
    withLcm(SMALL, cacheDir, ({ info }) => {
      expect(info).toMatchObject({ system: 'argentos', systemLabel: 'ArgentOS', systemVersion: 'schema 1' })
      expect(info.capabilities).toMatchObject({ storedWindow: true, chronologicalWindow: false, fileContents: false })
      expect(info.lacks?.join(' ')).toMatch(/behind the newest message.*contents of large files are stored nowhere/)
    }))

  it('has the window in the order in which it is stored, and names the order of the history', () => {
    // The system puts a new summary behind the newest message.
    const path = changedCopy(SMALL, (db) =>
      db.exec(`UPDATE context_items SET position = position + 1000 WHERE kind = 'summary'`),
    )
    const window = stored<Item>(path, WINDOW)
    return withLcm(path, cacheDir, (lcm) => {
      for (const { conversationId, sessionId } of lcm.stats.conversations()) {
        const { items, historyOrder } = lcm.context.assemble({ conversationId })
        const own = window.filter((item) => item.session === sessionId)
        expect(items.map(({ id }) => id)).toEqual(own.map(idOf))
        expect(items.every((item) => item.included)).toBe(true)
        if (!own.some(({ kind }) => kind === 'summary')) {
          expect(historyOrder).toBeUndefined()
          continue
        }
        // A summary covers messages older than the rest of the window, except for a leading system message.
        const inHistory = historyOrder?.map((place) => items[place]?.kind === 'message') ?? []
        const lead = items[0]?.role === 'system' && inHistory[0] === true ? 1 : 0
        const summaries = own.filter(({ kind }) => kind === 'summary').length
        expect(inHistory).toEqual(items.map((_, place) => place < lead || place >= lead + summaries))
      }
    })
  })

  it('numbers messages, summaries and files separately, so that the same number names three things', () => {
    const path = changedCopy(SMALL, (db) =>
      db.exec(`INSERT OR IGNORE INTO messages (id, session_id, role, content) SELECT max(id), session_id, 'user', 'x' FROM summaries;
        INSERT OR IGNORE INTO large_files (id, session_id, file_path, token_count, exploration_summary)
        SELECT max(id), session_id, 'a.log', 9, 'what it is about' FROM summaries`),
    )
    const [top] = stored<{ id: number; depth: number; tokens: number; sources: string }>(
      path,
      `SELECT max(id) AS id, depth, token_count AS tokens, (SELECT group_concat(source_id) FROM
       (SELECT source_id FROM summary_sources WHERE summary_id = s.id ORDER BY source_id)) AS sources FROM summaries AS s`,
    )
    return withLcm(path, cacheDir, ({ retrieval }) => {
      const described = retrieval.describe(String(top?.id), 10_000)
      expect(described).toMatchObject({ kind: 'condensed', depth: top?.depth, tokens: top?.tokens })
      expect(described.sources).toEqual(top?.sources.split(','))
      for (const source of described.sources ?? [])
        expect(retrieval.describe(source, 10)).toMatchObject({ kind: 'leaf', dependents: [String(top?.id)] })
      expect(retrieval.describe(`msg_${top?.id}`, 10).kind).toBe('message')
      expect(retrieval.describe(`file_${top?.id}`, 1000)).toMatchObject({
        kind: 'file',
        content: expect.stringContaining('what it is about'),
        file: { fileName: 'a.log', storageUri: '' },
      })
    })
  })

  it('names the level of a summary that says it was made without a model', () => {
    const path = changedCopy(SMALL, (db) =>
      db.exec(`UPDATE summaries SET content = '[Deterministic summary of 8 messages] and so on' WHERE depth = 1`),
    )
    return withLcm(path, cacheDir, ({ read }) =>
      expect(read.column(`SELECT DISTINCT level FROM summaries WHERE depth = 1`)).toEqual(['deterministic']),
    )
  })

  it('reads the result of a tool as one, though its role is the assistant and its call is missing', () => {
    const path = changedCopy(SMALL, (db) => db.exec('UPDATE messages SET content_blocks = NULL'))
    const results = stored<{ id: number; call: string; content: string }>(
      path,
      `SELECT id, tool_call_id AS call, content FROM messages WHERE role = 'assistant' AND tool_call_id IS NOT NULL`,
    )
    expect(results).not.toEqual([])
    return withLcm(path, cacheDir, ({ read, transcript }) => {
      expect(read.column(`SELECT message_id FROM messages WHERE role = 'tool' ORDER BY 1`)).toEqual(
        results.map(({ id }) => id),
      )
      for (const { id, call, content } of results) {
        const { parts } = transcript.message(`msg_${id}`)
        expect(parts).toMatchObject([{ type: 'tool', toolCallId: null, toolOutput: content }])
        expect(JSON.parse(parts[0]?.metadata ?? '')).toEqual({ toolCallId: call })
      }
    })
  })

  it('marks summaries that the system stored again with a message of the user', () =>
    withLcm(GATEWAY, cacheDir, (lcm) => {
      const parts = lcm.read.all<{ id: number; type: string; synthetic: number; text: string }>(
        `SELECT message_id AS id, part_type AS type, is_synthetic AS synthetic, text_content AS text FROM message_parts
         WHERE part_type <> 'tool' ORDER BY message_id, ordinal`,
      )
      const injected = parts.filter((part) => part.type === 'compaction')
      const own = `SELECT count(*) FROM messages WHERE role = 'user' AND content LIKE '[LCM Context — Compressed History]%'`
      expect(injected).toHaveLength(lcm.read.value(own) ?? -1)
      expect(injected).not.toEqual([])
      for (const part of injected) {
        expect(part.synthetic).toBe(1)
        expect(part.text.startsWith('[LCM Context')).toBe(true)
        expect(part.text.endsWith('[End LCM Compressed History]')).toBe(true)
        const rest = parts.find((other) => other.id === part.id && other.type === 'text')?.text ?? ''
        const whole = lcm.read.value<string>('SELECT content FROM messages WHERE message_id = :id', { id: part.id })
        expect(`${part.text}${rest}`.replaceAll(/\s/g, '')).toBe(whole?.replaceAll(/\s/g, ''))
      }
    }))

  it('keeps the number of a conversation when others are added, while it is open and later', async () => {
    const { path, read, write } = await following(SMALL, cacheDir)
    const numbers = () => read().perConversation.map(({ conversationId, sessionId }) => [conversationId, sessionId])
    const before = numbers()
    const { messages } = read()
    write(`INSERT INTO messages (session_id, role, content, token_count) VALUES ('aaa', 'user', 'new', 1), ('aab', 'user', 'new', 1);
      INSERT INTO messages (session_id, role, content, token_count) VALUES ('${before[0]?.[1]}', 'user', 'more', 1)`)
    const after = [...before, [before.length + 1, 'aaa'], [before.length + 2, 'aab']]
    expect(numbers()).toEqual(after)
    expect(read().messages).toBe(messages + 3)
    await withLcm(path, cacheDir, (lcm) => {
      expect(lcm.stats.conversations().map((row) => [row.conversationId, row.sessionId])).toEqual(after)
    })
  })

  it('is read again after a compaction, with the new summary and the window around it', async () => {
    const { path, read, write, lcm } = await following(SMALL, cacheDir)
    const { conversationId, sessionId } = lcm.stats.conversations().at(-1) ?? { conversationId: 0, sessionId: '' }
    const own = stored<Item>(path, WINDOW).filter(({ session }) => session === sessionId)
    const taken = own.filter(({ kind }) => kind === 'message').slice(0, 8)
    const taking = taken.map(({ ref }) => ref).join(', ')
    const before = read()
    const id = 1 + Number(lcm.read.value('SELECT max(CAST(summary_id AS INTEGER)) FROM summaries'))
    write(`INSERT INTO summaries (id, session_id, depth, content, token_count) VALUES (${id}, '${sessionId}', 0, 'in short', 2);
      INSERT INTO summary_messages SELECT ${id}, id FROM messages WHERE id IN (${taking});
      DELETE FROM context_items WHERE kind = 'message' AND ref_id IN (${taking});
      INSERT INTO context_items (session_id, kind, ref_id, position) VALUES ('${sessionId}', 'summary', ${id}, ${own.length})`)
    expect(read()).toMatchObject({ summaries: before.summaries + 1, contextItems: before.contextItems - 7 })
    const left = own.filter((item) => !taken.includes(item))
    expect(lcm.context.assemble({ conversationId }).items.map((item) => [item.id, item.ordinal])).toEqual(
      [...left.map(idOf), String(id)].map((item, ordinal) => [item, ordinal]),
    )
    expect(lcm.retrieval.describe(`msg_${taken[2]?.ref}`, 10).coveredBy).toEqual([String(id)])
    write(`DELETE FROM messages WHERE id = ${left.at(-1)?.ref}; UPDATE messages SET token_count = 7 WHERE id = 1`)
    expect(read().messages).toBe(before.messages - 1)
  })

  it('expands every summary to all its messages', () =>
    withLcm(GATEWAY, cacheDir, (lcm) => {
      for (const summaryId of lcm.read.column<string>('SELECT summary_id FROM summaries')) {
        const input = { summaryId, depth: 100, includeMessages: true, tokenCap: 1_000_000 }
        const { messages, truncated } = lcm.retrieval.expand(input)
        expect([truncated, messages.length]).toEqual([false, lcm.retrieval.describe(summaryId, 0).messages])
      }
    }))

  it('reads stored blocks as parts, and joins a result with its call', async () => {
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

  describe('a damaged file', () => {
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
    ])('answers every service: %s', async (_what, sql) => {
      const path = changedCopy(SMALL, (db) => db.exec(`${WITHOUT_CONSTRAINTS}; ${sql}`))
      const before = folderState(dirname(path))
      await withLcm(path, cacheDir, askEveryService)
      expect(folderState(dirname(path))).toEqual(before)
    })
  })
})
