import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GrepInput } from '../../core/contract/retrieval.ts'
import { openMemory } from '../../core/db/open-memory.ts'
import { type Lcm, openLcm } from '../../core/lcm.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf, FIXTURES } from '../db/fixtures.ts'
import { folderState } from '../db/folder-state.ts'

const cacheDir = join(temporaryFolder(), 'cache')

async function withLcm<T>(path: string, body: (lcm: Lcm) => T | Promise<T>): Promise<T> {
  const lcm = openLcm(path, { cacheDir })
  try {
    return await body(lcm)
  } finally {
    lcm.close()
  }
}

/** A copy of a fixture after some SQL of its own system. */
function changed(fixture: string, sql: string): string {
  const path = copyOf(fixture)
  const db = new Database(path)
  db.exec(sql)
  db.close()
  return path
}

const truthOf = (folder: string) => JSON.parse(readFileSync(join(FIXTURES, folder, 'small.truth.json'), 'utf8'))
const windowOf = (lcm: Lcm, conversationId = 1): string[] =>
  lcm.context.assemble({ conversationId, budgetTokens: 1_000_000 }).items.map((item) => item.id)

describe('hermes-lcm and LCM-X', () => {
  let before: Record<string, string> = {}
  beforeAll(() => {
    before = folderState(join(FIXTURES, 'hermes-lcm'))
  })
  afterAll(() => {
    expect(folderState(join(FIXTURES, 'hermes-lcm'))).toEqual(before)
  })

  describe.each(['hermes-lcm', 'lcm-x'])('%s', (folder) => {
    const path = join(FIXTURES, folder, 'small.db')

    it('counts what the system itself counts', async () => {
      const truth = truthOf(folder)
      const edges = truth.edges_parent_to_source as [number, 'messages' | 'nodes', number][]
      await withLcm(path, ({ stats, info }) => {
        expect(info.systemVersion).toBe(`schema ${truth.schema_version}`)
        expect(stats.stats()).toMatchObject({
          system: 'hermes-lcm',
          conversations: truth.sessions.length,
          messages: truth.table_counts.messages,
          summaries: truth.table_counts.summary_nodes,
          summariesByDepth: truth.nodes_by_depth,
          edges: {
            summaryMessages: edges.filter(([, type]) => type === 'messages').length,
            summaryParents: edges.filter(([, type]) => type === 'nodes').length,
          },
        })
        const { roles, conversation } = stats.overview(1)
        expect(Object.fromEntries(roles.map(({ key, count }) => [key, count]))).toEqual(truth.messages_by_role)
        expect(conversation).toMatchObject({ sessionId: 'sess-small', storedTokens: truth.message_token_total })
      })
    })

    it('gives the lineage as it is stored, in its order', async () => {
      await withLcm(path, ({ read }) => {
        const rows = read.all<{ node: string; type: string; source: string | number }>(
          `SELECT * FROM (
             SELECT summary_id AS node, 'messages' AS type, message_id AS source, ordinal FROM summary_messages
             UNION ALL SELECT summary_id, 'nodes', source_summary_id, ordinal FROM summary_sources
           ) ORDER BY CAST(node AS INTEGER), ordinal`,
        )
        expect(rows.map(({ node, type, source }) => [Number(node), type, Number(source)])).toEqual(
          truthOf(folder).edges_parent_to_source,
        )
      })
    })

    it('works out the window that the system gave to the model', async () => {
      const truth = truthOf(folder)
      await withLcm(path, (lcm) => {
        const items = windowOf(lcm)
        // The system packs all summaries into one message.
        const summaries = (truth.final_context.summary_blob as string).split('\n\n---\n\n')
        const nodes = items.filter((id) => !id.startsWith('msg_'))
        expect(summaries.map((text) => /^\[.*node (\d+)\)\]/.exec(text)?.[1])).toEqual(nodes)
        expect(items.length - nodes.length + 1).toBe(truth.final_context.messages)
        expect(items.filter((id) => id.startsWith('msg_'))).toEqual(
          (truth.uncovered_message_ids as number[]).map((id) => `msg_${id}`),
        )
        expect(lcm.strata.get({ conversationId: 1, axis: 'messages' }).marks).toEqual([])
      })
    })

    it('finds at least what the search of the system finds', async () => {
      const hits = truthOf(folder).search_hits as Record<
        string,
        { all_sessions: { messages: number[]; nodes: number[] } }
      >
      await withLcm(path, async ({ retrieval }) => {
        for (const [query, { all_sessions: own }] of Object.entries(hits)) {
          const ask = (input: object) =>
            retrieval.grep(GrepInput.parse({ query, limit: 1000, exactTotal: true, ...input }))
          const ids = new Set((await ask({})).hits.map((hit) => hit.id))
          const missed = [...own.messages.map((id) => `msg_${id}`), ...own.nodes.map(String)].filter(
            (id) => !ids.has(id),
          )
          if (missed.length === 0) continue
          // Its search takes NOT for a word, cuts a query at hyphens and dots, and falls back to any of the pieces: so
          // does ours when it is asked for that.
          const any = new Set(
            (
              await ask({
                query: query
                  .toLowerCase()
                  .split(/[^\p{L}\p{N}]+/u)
                  .join(' '),
                match: 'any',
              })
            ).hits.map((hit) => hit.id),
          )
          expect({ query, missed: missed.filter((id) => !any.has(id)) }).toEqual({ query, missed: [] })
        }
      })
    })
  })

  it('takes a node by its number everywhere, and never for a message', async () => {
    await withLcm(join(FIXTURES, 'hermes-lcm/small.db'), (lcm) => {
      expect(lcm.retrieval.describe('5', 100)).toMatchObject({
        kind: 'condensed',
        depth: 1,
        sources: ['1', '2', '3', '4'],
        messages: 41,
        descendantCount: 4,
      })
      expect(lcm.retrieval.describe('msg_5', 100)).toMatchObject({ kind: 'message', coveredBy: ['1', '5'] })
      expect(lcm.dag.lineage('1').dependents).toMatchObject([{ id: '5' }])
      expect(
        lcm.retrieval.expand({ summaryId: '10', depth: 1, includeMessages: false, tokenCap: 9999 }).nodes,
      ).toMatchObject([{ id: '6' }, { id: '7' }, { id: '8' }, { id: '9' }])
      expect(() => lcm.retrieval.describe('99', 100)).toThrow(expect.objectContaining({ code: 'not_found' }))
    })
  })

  it('gives times in milliseconds', async () => {
    await withLcm(join(FIXTURES, 'hermes-lcm/small.db'), ({ read }) => {
      expect(read.value('SELECT created_at FROM messages WHERE message_id = 2')).toBe(1_767_225_637_003)
      expect(read.value(`SELECT earliest_at FROM summaries WHERE summary_id = '1'`)).toBe(1_767_225_637_003)
    })
  })

  it('shows calls and results as parts of their messages, and a message without text as empty', async () => {
    await withLcm(join(FIXTURES, 'hermes-lcm/small.db'), ({ transcript }) => {
      expect(transcript.message('msg_3').parts).toMatchObject([
        {
          type: 'tool',
          toolCallId: 'call_00001',
          toolName: 'read_file',
          toolInput: '{"path": "src/core/compaction.ts", "topic": "export wizard"}',
        },
      ])
      const result = transcript.message('msg_4')
      expect(result.parts).toMatchObject([
        { toolCallId: 'call_00001', toolName: 'read_file', toolOutput: result.content },
      ])
      expect(transcript.message('msg_43')).toMatchObject({ content: '', parts: [{ toolName: 'grep' }] })
    })
  })

  it('keeps a role that it does not know in a part, and a call that is no JSON to its own row', async () => {
    const path = changed(
      'hermes-lcm/small.db',
      `UPDATE messages SET role = 'observer' WHERE store_id = 2;
       UPDATE messages SET role = ' Human ' WHERE store_id = 6;
       UPDATE messages SET role = 'plugin', tool_calls = '["odd", {"name": "ls", "arguments": {"a": 1}}]' WHERE store_id = 5;
       UPDATE messages SET tool_calls = '[{"id":' WHERE store_id = 3`,
    )
    await withLcm(path, ({ transcript, stats }) => {
      expect(transcript.message('msg_2')).toMatchObject({
        role: 'user',
        parts: [{ type: 'text', metadata: '{"role":"observer"}' }],
      })
      expect(transcript.message('msg_6')).toMatchObject({ role: 'user', parts: [] })
      expect(transcript.message('msg_5')).toMatchObject({
        role: 'assistant',
        parts: [{ toolName: null }, { toolName: 'ls', toolInput: '{"a":1}', metadata: '{"role":"plugin"}' }],
      })
      expect(transcript.message('msg_3').parts).toEqual([])
      expect(stats.stats().messageParts).toBe(42)
    })
  })

  it('isolates every fault of the damaged file to its own rows', async () => {
    await withLcm(join(FIXTURES, 'hermes-lcm/damaged.db'), (lcm) => {
      const { dag, retrieval, stats } = lcm
      expect(stats.stats()).toMatchObject({ messages: 84, summaries: 21, largeFiles: 1 })
      for (const node of ['11', '12', '16']) expect(retrieval.describe(node, 99)).toMatchObject({ sourceCount: 0 })
      expect(dag.lineage('13').sources).toMatchObject([{ id: '14' }])
      expect(retrieval.describe('15', 99)).toMatchObject({ kind: 'condensed', depth: 0, sources: ['1'] })
      expect(dag.lineage('21').sources).toMatchObject([{ id: '98765', kind: 'missing' }])
      expect(retrieval.describe('20', 99).level).toBe('deterministic')
      expect(dag.lineage('1').sources).toContainEqual(expect.objectContaining({ id: 'msg_3', kind: 'missing' }))
    })
  })

  it('lists outputs that were put into files, found by the index or without it', async () => {
    const ref = '20260101_003851_call_00013_613421b4074a_18867470ab252800.json'
    const path = copyOf('hermes-lcm/damaged.db')
    const expected = {
      id: ref,
      conversationId: 1,
      bytes: 5000,
      storageUri: join(dirname(path), 'lcm-large-outputs', ref),
    }
    await withLcm(path, ({ retrieval }) => expect(retrieval.files(1)).toMatchObject([expected]))
    const db = new Database(path)
    db.exec(`CREATE TRIGGER msg_fts_insert AFTER INSERT ON messages BEGIN SELECT 1; END`)
    db.close()
    await withLcm(path, ({ retrieval }) => expect(retrieval.files(1)).toMatchObject([expected]))
  })

  it('follows a writer: what is added, rewritten and deleted is there at the next question', () => {
    const path = copyOf('hermes-lcm/small.db')
    const writer = new Database(path)
    writer.pragma('journal_mode = WAL')
    writer.exec('CREATE TABLE warm_up (x); DROP TABLE warm_up')
    const { read, info, close } = openMemory(path, { cacheDir })
    try {
      expect(info.access).toBe('in_place')
      const count = (table: string) => read.value(`SELECT count(*) FROM ${table}`)
      const window = () => read.column('SELECT coalesce(message_id, summary_id) FROM context_items ORDER BY ordinal')
      const first = window()
      writer.exec(
        `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('sess-small', 'user', 'more', 9e9)`,
      )
      expect([count('messages'), window()]).toEqual([82, [...first, 82]])
      writer.exec(`UPDATE messages SET content = 'rewritten', token_estimate = 1 WHERE store_id = 4`)
      expect(read.get('SELECT content, token_count AS tokens FROM messages WHERE message_id = 4')).toEqual({
        content: 'rewritten',
        tokens: 1,
      })
      writer.exec(`INSERT INTO summary_nodes (session_id, depth, summary, source_ids, source_type, created_at)
          VALUES ('sess-small', 0, 'newest', '[65, 66]', 'messages', 9e9);
        UPDATE lcm_lifecycle_state SET last_finalized_frontier_store_id = 66`)
      expect([count('summary_messages'), window().slice(0, 5)]).toEqual([65, [1, '5', '10', '11', 67]])
      writer.exec(`DELETE FROM summary_nodes WHERE depth = 0; DELETE FROM messages WHERE store_id = 70`)
      expect([count('messages'), count('summaries'), window().includes(70)]).toEqual([81, 2, false])
      writer.exec(`UPDATE messages SET session_id = 'elsewhere' WHERE store_id > 80;
        INSERT INTO messages (session_id, role, content, timestamp) VALUES ('sess-small', 'user', 'last', 9e9)`)
      expect(read.all('SELECT session_id AS name, conversation_id AS id FROM conversations ORDER BY id')).toEqual([
        { name: 'sess-small', id: 1 },
        { name: 'elsewhere', id: 2 },
      ])
      expect(read.column('SELECT message_id FROM messages WHERE conversation_id = 2')).toEqual([81, 82])
    } finally {
      close()
      writer.close()
    }
  })
})
