import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '../../core/contract/retrieval.ts'
import { identifyMemory } from '../../core/db/identify-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../db/fixtures.ts'
import { askEveryService, checkIntegrity, withLcm } from '../dialects/every-service.ts'
import { changedCopy, following } from '../dialects/foreign-files.ts'

const SMALL = join(FIXTURES, 'pi-lcm/small.db')
const cacheDir = join(temporaryFolder(), 'cache')

type Asked = { hits_limit100: number; first_seqs: number[]; first_ids: string[] }
type Session = {
  conversation_id: string
  stats: { messages: number; summaries: number; maxDepth: number }
  uncompacted: number
  text_queries: Record<string, Asked>
  summary_queries: Record<string, number>
  regex_queries: Record<string, Asked>
}
const truth = JSON.parse(readFileSync(SMALL.replace('.db', '.truth.json'), 'utf8'))
const sessions = Object.entries<Session>(truth.conversations)

describe('a file of pi-lcm', () => {
  it('is known by its structure, and shows the folder of its project instead of a hash', () => {
    expect(identifyMemory(SMALL)).toMatchObject({ system: 'pi-lcm', project: truth.cwd })
    return withLcm(SMALL, cacheDir, ({ info }) => {
      expect(info).toMatchObject({ system: 'pi-lcm', systemVersion: 'schema 2', project: truth.cwd })
      expect(info.capabilities).toMatchObject({
        storedWindow: false,
        derivedWindow: expect.stringMatching(/newest summary/),
      })
      expect(info.lacks?.join(' ')).toMatch(/window is not stored.*same role, millisecond and first 200 characters/)
    })
  })

  it('has the counts that its own system gives', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const { table_counts: tables, nodes_by_depth, edges, bytes } = truth
      const stats = lcm.stats.stats()
      expect(stats).toMatchObject({
        conversations: tables.conversations,
        messages: tables.messages,
        summaries: tables.summaries,
        summariesByDepth: nodes_by_depth,
        edges: { summaryMessages: edges.message, summaryParents: edges.summary },
        bytes,
      })
      expect(stats.perConversation).toMatchObject(
        sessions.map(([sessionId, { stats: own }]) => ({
          sessionId,
          messages: own.messages,
          summaries: own.summaries,
          maxDepth: own.summaries === 0 ? -1 : own.maxDepth,
        })),
      )
      const roles = lcm.read.all<{ role: string; n: number }>('SELECT role, count(*) AS n FROM messages GROUP BY role')
      expect(Object.fromEntries(roles.map(({ role, n }) => [role, n]))).toEqual({
        user: truth.roles.user,
        assistant: truth.roles.assistant,
        tool: truth.roles.toolResult + truth.roles.bashExecution,
      })
    }))

  it('shows the window by its own rule: the newest summary of each depth, then what was not compacted', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      for (const [index, [, session]] of sessions.entries()) {
        const { items } = lcm.context.assemble({ conversationId: index + 1 })
        const newest = lcm.read.column<string>(
          `SELECT summary_id FROM summaries WHERE conversation_id = :c
           GROUP BY depth HAVING summary_rowid = max(summary_rowid) ORDER BY depth DESC`,
          { c: index + 1 },
        )
        expect(items.filter((item) => item.kind !== 'message').map(({ id }) => id)).toEqual(newest)
        expect(items.slice(newest.length).map(({ kind }) => kind)).toEqual(Array(session.uncompacted).fill('message'))
        const seqs = items.slice(newest.length).map(({ seq }) => seq ?? -1)
        expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
      }
      // The two that the rule leaves out are nobody's source: the agent never sees them.
      const unseen = lcm.read.column<string>(
        `SELECT summary_id FROM summaries WHERE summary_id NOT IN (SELECT source_summary_id FROM summary_sources)
         AND summary_id NOT IN (SELECT summary_id FROM context_items WHERE summary_id IS NOT NULL)`,
      )
      expect(unseen).toHaveLength(2)
    }))

  it('names the summaries that its own rule never shows', () =>
    withLcm(SMALL, cacheDir, async (lcm) => {
      const report = await checkIntegrity(lcm)
      const unseen = report.checks.find((check) => check.id === 'unconsumed_root')
      expect(unseen?.samples.map(({ id }) => id?.slice(0, 8)).sort()).toEqual(['2a927371', 'f91d0c4d'])
    }))

  it('leaves out of the window what does not fit into the tokens that pi-lcm allows', async () => {
    const tokens = (depth: number, count: number) =>
      `UPDATE summaries SET token_estimate = ${count} WHERE rowid = (SELECT max(rowid) FROM summaries WHERE depth = ${depth})`
    const shown = async (sql: string): Promise<number[]> => {
      const path = changedCopy(SMALL, (db) => db.exec(sql))
      return await withLcm(path, cacheDir, (lcm) =>
        lcm.context.assemble({ conversationId: 1 }).items.flatMap(({ depth }) => depth ?? []),
      )
    }
    expect(await shown(tokens(1, 7000))).toEqual([1, 0])
    expect(await shown(tokens(1, 7900))).toEqual([1])
    expect(await shown(tokens(1, 7980))).toEqual([0])
    expect(await shown(tokens(0, 8001))).toEqual([1])
  })

  it('makes parts of the original message: reasoning, calls, results, the user’s own commands, how it ended', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const said = lcm.transcript.message('msg_2')
      expect(said.parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool', 'step_finish'])
      expect(said.parts[0]?.text).toMatch(/SECRETTHOUGHT$/)
      expect(said.parts[2]).toMatchObject({ toolCallId: 'toolu_000001099bf4fa', toolName: 'edit', toolOutput: null })
      expect(JSON.parse(said.parts[2]?.toolInput ?? '')).toMatchObject({ path: 'tests/worker.test.ts' })
      expect(JSON.parse(said.parts[3]?.metadata ?? '')).toMatchObject({ model: 'claude-sonnet-4-5' })
      const result = lcm.transcript.message('msg_3')
      expect(result).toMatchObject({
        role: 'tool',
        content: '[edit] Successfully replaced text in tests/worker.test.ts.',
      })
      expect(result.parts).toHaveLength(1)
      expect(result.parts[0]).toMatchObject({
        type: 'tool',
        toolCallId: 'toolu_000001099bf4fa',
        toolName: 'edit',
        toolStatus: 'completed',
        toolOutput: 'Successfully replaced text in tests/worker.test.ts.',
        metadata: '{"details":{"diff":"+1 -1"}}',
      })
      const [id] = lcm.read.column<number>(
        `SELECT message_id FROM message_parts WHERE tool_name = 'bash' AND tool_call_id IS NULL`,
      )
      const [command] = lcm.transcript.message(`msg_${id}`).parts
      expect(command).toMatchObject({ toolInput: '{"command":"git log --oneline -3"}', toolStatus: 'completed' })
      expect(command?.toolOutput).toMatch(/^7fd78bc /)
    }))

  it('finds a message by the UUID that Pi knows it by', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const [uuid] = sessions[0]?.[1].text_queries['INC-4242']?.first_ids ?? []
      expect(lcm.retrieval.describe(uuid ?? '', 100)).toMatchObject({ id: 'msg_38', kind: 'message', seq: 37 })
      expect(lcm.dag.lineage(uuid ?? '').coveredBy).toHaveLength(2)
      expect(lcm.dag.neighbourhood({ id: uuid ?? '', up: 2, down: 1, maxPerNode: 5, expanded: [] })).toMatchObject({
        focus: 'msg_38',
      })
    }))

  it('finds at least what its own search finds', () =>
    withLcm(SMALL, cacheDir, async (lcm) => {
      const find = async (
        query: string,
        scope: 'messages' | 'summaries',
        conversation: number,
        mode: 'full_text' | 'regex' = 'full_text',
      ) =>
        await lcm.retrieval.grep(GrepInput.parse({ query, mode, scope, conversationIds: [conversation], limit: 1000 }))
      for (const [index, [, session]] of sessions.entries()) {
        for (const [query, { hits_limit100, first_seqs }] of Object.entries(session.text_queries)) {
          const { total, hits } = await find(query, 'messages', index + 1)
          expect([query, total >= hits_limit100]).toEqual([query, true])
          const seqs = hits.map((hit) => hit.seq)
          expect(seqs).toEqual(expect.arrayContaining(first_seqs))
        }
        for (const [query, count] of Object.entries(session.summary_queries)) {
          expect([query, (await find(query, 'summaries', index + 1)).total >= count]).toEqual([query, true])
        }
        for (const [query, { hits_limit100, first_seqs }] of Object.entries(session.regex_queries)) {
          const { total, hits } = await find(query, 'messages', index + 1, 'regex')
          expect([query, total]).toEqual([query, hits_limit100])
          expect(hits.map((hit) => hit.seq)).toEqual(expect.arrayContaining(first_seqs))
        }
      }
      // What only the original holds is found too: its own search never sees reasoning.
      expect((await find('SECRETTHOUGHT', 'messages', 1)).total).toBe(29)
      expect(sessions[0]?.[1].text_queries.SECRETTHOUGHT?.hits_limit100).toBe(0)
    }))

  it('reads every kind of message that Pi has', async () => {
    const originals = [
      { role: 'custom', customType: 'note', content: 'from an extension', display: true },
      {
        role: 'custom',
        content: [
          { type: 'text', text: 'in blocks' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        ],
      },
      { role: 'compactionSummary', summary: 'what was', tokensBefore: 5 },
      { role: 'branchSummary', summary: 'the other branch', fromId: 'x' },
      {
        role: 'toolResult',
        toolCallId: 'c1',
        toolName: 'shot',
        isError: true,
        content: [
          { type: 'text', text: 'one' },
          { type: 'image', data: 'AAAAAAAA', mimeType: 'image/png' },
          { type: 'text', text: 'two' },
        ],
      },
      { role: 'toolResult', toolCallId: 'c2', toolName: 'none', content: [] },
      { role: 'bashExecution', command: 'false', output: '', exitCode: 1 },
      { role: 'assistant', content: [], stopReason: 'aborted', usage: { input: 1, output: 0, cost: { total: 0.5 } } },
      {
        role: 'assistant',
        content: [[1, [2]], { type: 'toolCall', id: 'c3', name: 'go', arguments: {} }],
        usage: { input: 1 },
      },
      { role: 'dream', content: 'unheard of' },
      { role: 'user', content: 17 },
    ]
    const path = changedCopy(SMALL, (db) => {
      const insert =
        db.prepare(`INSERT INTO messages (id, conversation_id, role, content_text, content_json, token_estimate, timestamp, seq, dedup_hash)
        SELECT 'new-' || :seq, id, :role, :text, :json, 1, 1772700000000, :seq, 'new-' || :seq FROM conversations WHERE rowid = 2`)
      originals.forEach((original, index) => {
        const text = typeof original.content === 'string' ? original.content : 'text'
        insert.run({ seq: BigInt(100 + index), role: original.role, text, json: JSON.stringify(original) })
      })
    })
    await withLcm(path, cacheDir, async (lcm) => {
      const { messages } = lcm.transcript.page({ conversationId: 2, offset: 14, limit: 20, contentChars: 1000 })
      expect(messages.map(({ role, parts }) => [role, parts.map(({ type }) => type).join(' ')])).toEqual([
        ['user', 'text'],
        ['user', 'text file'],
        ['user', 'compaction'],
        ['user', 'compaction'],
        ['tool', 'tool file'],
        ['tool', 'tool'],
        ['tool', 'tool'],
        ['assistant', 'step_finish'],
        ['assistant', 'text tool step_finish'],
        ['system', 'text'],
        ['user', 'text'],
      ])
      expect(messages[0]?.parts[0]).toMatchObject({
        text: 'from an extension',
        metadata: expect.stringContaining('note'),
      })
      expect(messages[1]?.parts[1]).toMatchObject({ fileMime: 'image/png', metadata: '{"bytes":3}' })
      expect(messages[4]?.parts[0]).toMatchObject({ toolStatus: 'error', toolOutput: 'one\ntwo', toolCallId: 'c1' })
      expect(messages[5]?.parts[0]).toMatchObject({ toolOutput: '', toolCallId: 'c2' })
      expect(messages[6]?.parts[0]).toMatchObject({ toolStatus: 'error', toolInput: '{"command":"false"}' })
      await askEveryService(lcm)
    })
  })

  it('follows a session that goes on, and a compaction', async () => {
    const { read, write, lcm } = await following(SMALL, cacheDir)
    const add = (seq: number, id: string) =>
      `INSERT INTO messages (id, conversation_id, role, content_text, content_json, token_estimate, timestamp, seq, dedup_hash)
       SELECT '${id}', id, 'user', 'and ${id}', '{"role":"user","content":"and ${id}"}', 5, 1772700000000, ${seq}, '${id}' FROM conversations WHERE rowid = 2`
    write(`${add(14, 'first')}; ${add(15, 'second')}`)
    expect(read()).toMatchObject({ messages: 108, contextItems: 48 })
    write(`INSERT INTO summaries SELECT 'sum-new', id, 0, 'in short', 9, NULL, '2026-11-20T12:00:00.000Z' FROM conversations WHERE rowid = 2;
      INSERT INTO summary_sources SELECT 'sum-new', 'message', id, seq FROM messages WHERE conversation_id = (SELECT id FROM conversations WHERE rowid = 2) AND seq < 14;
      UPDATE messages SET is_compacted = 1 WHERE id IN (SELECT source_id FROM summary_sources WHERE summary_id = 'sum-new')`)
    expect(read().summaries).toBe(9)
    expect(lcm.context.assemble({ conversationId: 2 }).items.map(({ id }) => id)).toEqual([
      'sum-new',
      'msg_107',
      'msg_108',
    ])
    // The newest row goes and another takes its number.
    write(`DELETE FROM messages WHERE id = 'second'; ${add(15, 'third')}`)
    expect(lcm.transcript.message('third')).toMatchObject({ id: 'msg_108', content: 'and third' })
    expect(() => lcm.retrieval.describe('second', 10)).toThrow(expect.objectContaining({ code: 'not_found' }))
    write(`INSERT INTO conversations VALUES ('c-new', 's-new', NULL, '/x', '2026-11-20', '2026-11-20')`)
    expect(read().perConversation.map((row) => row.conversationId)).toEqual([1, 2, 3])
  })

  it('shows as lost what is marked as compacted and in no summary', async () => {
    const path = changedCopy(SMALL, (db) => db.exec(`UPDATE messages SET is_compacted = 1 WHERE rowid = 100`))
    await withLcm(path, cacheDir, async (lcm) => {
      expect(lcm.retrieval.describe('msg_100', 10).visibility).toBe('absent')
      const gap = (await checkIntegrity(lcm, 2)).checks.find((check) => check.id === 'coverage_gap')
      expect(gap?.samples.map(({ id }) => id)).toEqual(['msg_100'])
    })
  })

  it('keeps what belongs to a conversation that is not in the file', async () => {
    const path = changedCopy(SMALL, (db) =>
      db.exec(`PRAGMA foreign_keys = OFF; DELETE FROM conversations WHERE rowid = 1`),
    )
    await withLcm(path, cacheDir, async (lcm) => {
      const [here, gone] = lcm.stats.conversations()
      expect(here).toMatchObject({ conversationId: 2, messages: 14 })
      expect(gone).toMatchObject({ messages: 92, summaries: 8, sessionId: sessions[0]?.[1].conversation_id })
      await askEveryService(lcm)
    })
  })
})
