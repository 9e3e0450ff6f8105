import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '../../core/contract/retrieval.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../db/fixtures.ts'
import { withLcm } from '../dialects/every-service.ts'
import { following } from '../dialects/foreign-files.ts'

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
})
