import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../builders/open-memory.ts'
import type { HermesFault } from '../builders/systems/hermes-damage.ts'
import { copyOf, FIXTURES } from '../sqlite/fixtures.ts'
import { stored } from './foreign-files.ts'
import { cacheDir, changed, windowOf, withLcm } from './hermes-files.ts'

type Node = { id: number; depth: number; type: 'messages' | 'nodes'; sources: number[] }
const nodesOf = (path: string): Node[] =>
  stored<Omit<Node, 'sources'> & { sources: string }>(
    path,
    'SELECT node_id AS id, depth, source_type AS type, source_ids AS sources FROM summary_nodes ORDER BY node_id',
  ).map((row) => ({ ...row, sources: JSON.parse(row.sources) as number[] }))
const topsOf = (nodes: readonly Node[]): Node[] =>
  nodes
    .filter(({ id }) => !nodes.some(({ type, sources }) => type === 'nodes' && sources.includes(id)))
    .sort((a, b) => b.depth - a.depth || a.id - b.id)

type Row = { id: number; role: string; at: number; calls: string | null; answers: string | null; tool: string | null }
const messagesOf = (path: string): Row[] =>
  stored<Row>(
    path,
    `SELECT store_id AS id, role, timestamp AS at, tool_calls AS calls, tool_call_id AS answers, tool_name AS tool
     FROM messages ORDER BY store_id`,
  )

const SMALL = 'hermes-lcm/small.db'
const small = join(FIXTURES, SMALL)

describe('hermes-lcm and LCM-X', () => {
  describe.each(['hermes-lcm', 'lcm-x'])('%s', (folder) => {
    const path = join(FIXTURES, folder, 'small.db')

    it('has the lineage in its stored order', () =>
      withLcm(path, ({ read }) => {
        const rows = read.all(
          `SELECT * FROM (
             SELECT CAST(summary_id AS INTEGER) AS node, 'messages' AS type, message_id AS source, ordinal FROM summary_messages
             UNION ALL SELECT CAST(summary_id AS INTEGER), 'nodes', CAST(source_summary_id AS INTEGER), ordinal FROM summary_sources
           ) ORDER BY node, ordinal`,
        )
        expect(rows).toEqual(
          nodesOf(path).flatMap(({ id, type, sources }) =>
            sources.map((source, ordinal) => ({ node: id, type, source, ordinal })),
          ),
        )
      }))

    it('has a window of instructions, summaries without dependents, and the messages after them', () =>
      withLcm(path, (lcm) => {
        const nodes = nodesOf(path)
        const covered = new Set(nodes.flatMap(({ type, sources }) => (type === 'messages' ? sources : [])))
        const open = messagesOf(path).filter(({ id }) => !covered.has(id))
        const [lead, ...rest] = open.map(({ id }) => `msg_${id}`)
        expect(open[0]?.role).toBe('system')
        expect(windowOf(lcm)).toEqual([lead, ...topsOf(nodes).map(({ id }) => String(id)), ...rest])
        expect(lcm.strata.get({ conversationId: 1, axis: 'messages' }).marks).toEqual([])
      }))
  })

  it('finds a node by its number everywhere, and never as a message', () =>
    withLcm(small, (lcm) => {
      const [top] = topsOf(nodesOf(small))
      if (!top) throw new Error('there is no node')
      const sources = top.sources.map(String)
      const leaves = nodesOf(small).filter(({ id }) => top.sources.includes(id))
      const [first] = leaves
      expect(lcm.retrieval.describe(String(top.id), 100)).toMatchObject({
        kind: 'condensed',
        depth: 1,
        sources,
        messages: leaves.reduce((sum, leaf) => sum + leaf.sources.length, 0),
        descendantCount: sources.length,
      })
      expect(lcm.retrieval.describe(`msg_${top.id}`, 100).kind).toBe('message')
      expect(lcm.retrieval.describe(`msg_${first?.sources[0]}`, 100).coveredBy).toEqual([
        String(first?.id),
        String(top.id),
      ])
      expect(lcm.dag.lineage(String(first?.id)).dependents).toMatchObject([{ id: String(top.id) }])
      const input = { summaryId: String(top.id), depth: 1, includeMessages: false, tokenCap: 9999 }
      expect(lcm.retrieval.expand(input).nodes.map(({ id }) => id)).toEqual(sources)
      expect(() => lcm.retrieval.describe('99', 100)).toThrow(expect.objectContaining({ code: 'not_found' }))
    }))

  it('has its times in milliseconds', () =>
    withLcm(small, ({ read }) => {
      const messages = messagesOf(small)
      const atMs = (id: number | undefined): number =>
        Math.round((messages.find((row) => row.id === id)?.at ?? 0) * 1000)
      expect(read.value('SELECT created_at FROM messages WHERE message_id = 2')).toBe(atMs(2))
      const [leaf] = nodesOf(small)
      expect(read.value(`SELECT earliest_at FROM summaries WHERE summary_id = '${leaf?.id}'`)).toBe(
        atMs(leaf?.sources[0]),
      )
    }))

  it('has the level and the model that LCM-X records beside a summary, and none for what was made before it did', async () => {
    const [first, second, third] = nodesOf(small).map(({ id }) => id)
    const quote = `char(10) || '[...deterministic truncation — details available via lcm_expand...]' || char(10)`
    const path = changed(
      SMALL,
      `CREATE TABLE summary_node_provenance (node_id INTEGER PRIMARY KEY, escalation_level INTEGER NOT NULL,
         model TEXT NOT NULL DEFAULT '', created_at REAL NOT NULL);
       INSERT INTO summary_node_provenance VALUES (${first}, 1, 'model-a', 0), (${second}, 3, '', 0);
       UPDATE summary_nodes SET summary = summary || ${quote} WHERE node_id = ${first}`,
    )
    await withLcm(path, ({ retrieval, info }) => {
      expect(info.capabilities.levels).toBe(true)
      expect(info.lacks).not.toContain('Which model wrote a summary is not recorded.')
      expect(retrieval.describe(String(first), 99)).toMatchObject({ level: 'normal', model: 'model-a' })
      expect(retrieval.describe(String(second), 99)).toMatchObject({ level: 'deterministic', model: null })
      expect(retrieval.describe(String(third), 99)).toMatchObject({ level: 'unknown', model: null })
    })
    await withLcm(small, ({ info }) => expect(info.capabilities.levels).toBe(false))
  })

  it('finds the file of an output whose place in the text says how to read it', async () => {
    const answer = messagesOf(small).find(({ answers }) => answers !== null)?.id
    const told =
      'tool=read_file; tool_call_id=c1; chars=9; bytes=9; read it with lcm_expand(externalized_ref="out.json")'
    const path = changed(
      SMALL,
      `UPDATE messages SET content = '[Externalized tool output: ${told}; ref=out.json]' WHERE store_id = ${answer}`,
    )
    await withLcm(path, ({ retrieval }) =>
      expect(retrieval.files(1)).toMatchObject([{ id: 'out.json', bytes: 9, conversationId: 1 }]),
    )
  })

  it('shows calls and results as parts of their messages, and a message without text as empty', async () => {
    const call = messagesOf(small).find(({ calls }) => calls !== null)
    const answer = messagesOf(small).find(({ answers }) => answers !== null)
    const silent = changed(SMALL, `UPDATE messages SET content = NULL WHERE store_id = ${call?.id}`)
    await withLcm(silent, ({ transcript }) => {
      const [own] = JSON.parse(call?.calls ?? '[]')
      expect(transcript.message(`msg_${call?.id}`)).toMatchObject({
        content: '',
        parts: [{ type: 'tool', toolCallId: own.id, toolName: own.function.name, toolInput: own.function.arguments }],
      })
      const result = transcript.message(`msg_${answer?.id}`)
      expect(result.parts).toMatchObject([
        { toolCallId: answer?.answers, toolName: answer?.tool, toolOutput: result.content },
      ])
    })
  })

  it('keeps an unknown role in a part, and limits a call that is no JSON to its own row', async () => {
    const rows = messagesOf(small)
    const call = rows.find(({ calls }) => calls !== null)?.id
    const [one, two, three] = rows.flatMap(({ id, role, calls }) => (role !== 'tool' && calls === null ? id : []))
    const before = await withLcm(small, ({ stats }) => stats.stats().messageParts)
    const path = changed(
      SMALL,
      `UPDATE messages SET role = 'observer' WHERE store_id = ${one};
       UPDATE messages SET role = ' Human ' WHERE store_id = ${two};
       UPDATE messages SET role = 'plugin', tool_calls = '["odd", {"name": "ls", "arguments": {"a": 1}}]' WHERE store_id = ${three};
       UPDATE messages SET tool_calls = '[{"id":' WHERE store_id = ${call}`,
    )
    await withLcm(path, ({ transcript, stats }) => {
      expect(transcript.message(`msg_${one}`)).toMatchObject({
        role: 'user',
        parts: [{ type: 'text', metadata: '{"role":"observer"}' }],
      })
      expect(transcript.message(`msg_${two}`)).toMatchObject({ role: 'user', parts: [] })
      expect(transcript.message(`msg_${three}`)).toMatchObject({
        role: 'assistant',
        parts: [{ toolName: null }, { toolName: 'ls', toolInput: '{"a":1}', metadata: '{"role":"plugin"}' }],
      })
      expect(transcript.message(`msg_${call}`).parts).toEqual([])
      expect(stats.stats().messageParts).toBe(before + 1 + 2 - 1)
    })
  })

  describe('a damaged file', () => {
    const damaged = join(FIXTURES, 'hermes-lcm/damaged.db')
    const { faults }: { faults: HermesFault[] } = JSON.parse(
      readFileSync(damaged.replace('.db', '.truth.json'), 'utf8'),
    )
    const nodeOf = (fault: string): string => String(faults.find((one) => one.fault === fault)?.node_id)

    it('limits every fault to its own rows', () =>
      withLcm(damaged, ({ dag, retrieval, stats }) => {
        const sound = nodesOf(small).length
        expect(stats.stats()).toMatchObject({
          messages: messagesOf(small).length + 3,
          summaries: sound + 11,
          largeFiles: 1,
        })
        for (const fault of ['malformed_source_ids_json', 'empty_sources', 'unknown_source_type'])
          expect(retrieval.describe(nodeOf(fault), 99)).toMatchObject({ sourceCount: 0 })
        const [here, there] = faults.flatMap(({ fault, node_id }) => (fault === 'cycle' ? String(node_id) : []))
        expect(dag.lineage(here ?? '').sources).toMatchObject([{ id: there }])
        const wrongDepth = retrieval.describe(nodeOf('depth_mismatch_leaf_of_nodes'), 99)
        expect(wrongDepth).toMatchObject({ kind: 'condensed', depth: 0, sources: ['1'] })
        expect(dag.lineage(nodeOf('missing_source_node')).sources).toMatchObject([{ id: '98765', kind: 'missing' }])
        expect(retrieval.describe(nodeOf('l3_truncation_fallback'), 99).level).toBe('deterministic')
        const lost = faults.find(({ fault }) => fault === 'missing_source_message')?.store_id
        expect(dag.lineage('1').sources).toContainEqual(expect.objectContaining({ id: `msg_${lost}`, kind: 'missing' }))
      }))

    it('lists outputs that were put into files, found through the index or without it', async () => {
      const path = copyOf('hermes-lcm/damaged.db')
      const ref = /ref=(\S+\.json)\]/.exec(
        stored<{ text: string }>(path, `SELECT content AS text FROM messages WHERE content LIKE '%ref=%.json]'`)[0]
          ?.text ?? '',
      )?.[1]
      const storageUri = join(dirname(path), 'lcm-large-outputs', ref ?? '')
      const expected = { id: ref, conversationId: 1, bytes: 5000, storageUri }
      await withLcm(path, ({ retrieval }) => expect(retrieval.files(1)).toMatchObject([expected]))
      const db = new Database(path)
      db.exec(`CREATE TRIGGER msg_fts_insert AFTER INSERT ON messages BEGIN SELECT 1; END`)
      db.close()
      await withLcm(path, ({ retrieval }) => expect(retrieval.files(1)).toMatchObject([expected]))
    })
  })

  it('is read again after a writer added, rewrote or deleted rows', () => {
    const path = copyOf(SMALL)
    const writer = new Database(path)
    writer.pragma('journal_mode = WAL')
    writer.exec('CREATE TABLE warm_up (x); DROP TABLE warm_up')
    const { read, info, close } = openMemory(path, { cacheDir })
    try {
      expect(info.access).toBe('in_place')
      const count = (table: string): number => Number(read.value(`SELECT count(*) FROM ${table}`))
      const window = () => read.column('SELECT coalesce(message_id, summary_id) FROM context_items ORDER BY ordinal')
      const session = read.value<string>('SELECT session_id FROM conversations')
      const [first, messages, links] = [window(), count('messages'), count('summary_messages')]
      const last = Number(read.value('SELECT max(message_id) FROM messages'))
      const say = (text: string): string =>
        `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('${session}', 'user', '${text}', 9e9);`
      writer.exec(say('more'))
      expect([count('messages'), window()]).toEqual([messages + 1, [...first, last + 1]])
      writer.exec(`UPDATE messages SET content = 'rewritten', token_estimate = 1 WHERE store_id = 4`)
      expect(read.get('SELECT content, token_count AS tokens FROM messages WHERE message_id = 4')).toEqual({
        content: 'rewritten',
        tokens: 1,
      })
      // A leaf of the two oldest uncovered messages of the window.
      const tops = topsOf(nodesOf(small)).map(({ id }) => String(id))
      const [lead, ...rest] = first.filter((item) => typeof item === 'number')
      const taken = rest.slice(0, 2)
      writer.exec(`INSERT INTO summary_nodes (session_id, depth, summary, source_ids, source_type, created_at)
          VALUES ('${session}', 0, 'newest', '${JSON.stringify(taken)}', 'messages', 9e9);
        UPDATE lcm_lifecycle_state SET last_finalized_frontier_store_id = ${taken[1]}, current_frontier_store_id = ${taken[1]}`)
      const newest = String(nodesOf(small).length + 1)
      expect([count('summary_messages'), window()]).toEqual([
        links + 2,
        [lead, ...tops, newest, ...rest.slice(2), last + 1],
      ])
      writer.exec(`DELETE FROM summary_nodes WHERE depth = 0; DELETE FROM messages WHERE store_id = ${rest[4]}`)
      const deeper = nodesOf(small).filter(({ depth }) => depth > 0).length
      expect([count('messages'), count('summaries'), window().includes(rest[4] ?? 0)]).toEqual([
        messages,
        deeper,
        false,
      ])
      writer.exec(`UPDATE messages SET session_id = 'elsewhere' WHERE store_id >= ${last}; ${say('last')}`)
      expect(read.all('SELECT session_id AS name, conversation_id AS id FROM conversations ORDER BY id')).toEqual([
        { name: session, id: 1 },
        { name: 'elsewhere', id: 2 },
      ])
      expect(read.column('SELECT message_id FROM messages WHERE conversation_id = 2')).toEqual([last, last + 1])
    } finally {
      close()
      writer.close()
    }
  })
})
