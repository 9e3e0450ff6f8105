import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { identifyMemory } from '#core/systems/opening/identify-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { askEveryService, checkIntegrity, withLcm } from './every-service.ts'
import { changedCopy, following, stored } from './foreign-files.ts'

const SMALL = join(FIXTURES, 'pi-lcm/small.db')
const cacheDir = join(temporaryFolder(), 'cache')

type Summary = { row: number; id: string; conversation: string; depth: number; isSource: 0 | 1 }
const summaries = stored<Summary>(
  SMALL,
  `SELECT rowid AS row, id, conversation_id AS conversation, depth,
     EXISTS (SELECT 1 FROM summary_sources WHERE source_type = 'summary' AND source_id = s.id) AS isSource
   FROM summaries AS s ORDER BY rowid`,
)
const conversations = stored<{ id: string; messages: number; open: number; last: number }>(
  SMALL,
  `SELECT c.id, (SELECT count(*) FROM messages WHERE conversation_id = c.id) AS messages,
     (SELECT count(*) FROM messages WHERE conversation_id = c.id AND NOT is_compacted) AS open,
     (SELECT max(rowid) FROM messages WHERE conversation_id = c.id) AS last
   FROM conversations AS c ORDER BY c.rowid`,
)
const [first, second] = conversations
if (!first || !second) throw new Error('these tests need two conversations')
const total = first.messages + second.messages

/** The newest summary of each depth, the deepest first. */
const shownOf = (conversation: string): string[] => {
  const own = summaries.filter((summary) => summary.conversation === conversation)
  const depths = [...new Set(own.map(({ depth }) => depth))].sort((a, b) => b - a)
  return depths.map((depth) => own.findLast((summary) => summary.depth === depth)?.id ?? '')
}

/** A copy in which the second conversation goes on with these originals, as Pi stores them. */
const goesOn = (originals: readonly (Record<string, unknown> & { role: string })[]): string =>
  changedCopy(SMALL, (db) => {
    const insert = db.prepare(
      `INSERT INTO messages (id, conversation_id, role, content_text, content_json, token_estimate, timestamp, seq, dedup_hash)
       SELECT 'new-' || :seq, id, :role, :text, :json, 1, 1772700000000, :seq, 'new-' || :seq FROM conversations WHERE rowid = 2`,
    )
    originals.forEach((original, index) => {
      const text = typeof original.content === 'string' ? original.content : 'text'
      insert.run({ seq: BigInt(1000 + index), role: original.role, text, json: JSON.stringify(original) })
    })
  })
const newest = { conversationId: 2, offset: second.messages, limit: 20, contentChars: 1000 }

describe('a file of pi-lcm', () => {
  it('is recognised by its structure, and names the folder of its project instead of a hash', async () => {
    const [cwd] = stored<{ value: string }>(SMALL, `SELECT value FROM _metadata WHERE key = 'cwd'`)
    await expect(identifyMemory(SMALL)).resolves.toMatchObject({ system: 'pi-lcm', project: cwd?.value })
    await withLcm(SMALL, cacheDir, ({ info }) => {
      expect(info).toMatchObject({ system: 'pi-lcm', systemVersion: 'schema 2', project: cwd?.value })
      expect(info.capabilities).toMatchObject({
        storedWindow: false,
        derivedWindow: expect.stringMatching(/newest summary/),
      })
      expect(info.lacks?.join(' ')).toMatch(/window is not stored.*same role, millisecond and first 200 characters/)
    })
  })

  it('has a window by its own rule: the newest summary of each depth, then what was not compacted', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      for (const [index, { id, open }] of conversations.entries()) {
        const { items } = lcm.context.assemble({ conversationId: index + 1 })
        const shown = shownOf(id)
        expect(items.slice(0, shown.length).map((item) => item.id)).toEqual(shown)
        const rest = items.slice(shown.length)
        expect(rest.map(({ kind }) => kind)).toEqual(Array(open).fill('message'))
        const seqs = rest.map(({ seq }) => seq ?? -1)
        expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
      }
    }))

  it('names the summaries that its window never contains', () =>
    withLcm(SMALL, cacheDir, async (lcm) => {
      const shown = conversations.flatMap(({ id }) => shownOf(id))
      const unseen = summaries.filter(({ id, isSource }) => !isSource && !shown.includes(id))
      expect(unseen).not.toEqual([])
      const { checks } = await checkIntegrity(lcm)
      const named = checks.find((check) => check.id === 'unconsumed_root')?.samples.map(({ id }) => id)
      expect(named?.sort()).toEqual(unseen.map(({ id }) => id).sort())
    }))

  it('leaves out of the window what exceeds the tokens that pi-lcm allows', async () => {
    const shown = async (depth: number, tokens: number): Promise<number[]> => {
      const path = changedCopy(SMALL, (db) =>
        db.exec(`UPDATE summaries SET token_estimate = ${tokens} WHERE rowid =
          (SELECT max(rowid) FROM summaries WHERE depth = ${depth} AND conversation_id = '${first.id}')`),
      )
      return await withLcm(path, cacheDir, (lcm) =>
        lcm.context.assemble({ conversationId: 1 }).items.flatMap((item) => item.depth ?? []),
      )
    }
    expect(await shown(1, 7000)).toEqual([1, 0])
    expect(await shown(1, 7910)).toEqual([1])
    expect(await shown(1, 7980)).toEqual([0])
    expect(await shown(0, 8001)).toEqual([1])
  })

  it('has parts of the original message: reasoning, calls, results, commands of the user, and its end', () => {
    const path = goesOn([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Which file? LANTERNTHOUGHT' },
          { type: 'text', text: 'I edit it.' },
          { type: 'toolCall', id: 'call_a', name: 'edit', arguments: { path: 'a.ts' } },
        ],
        model: 'some-model',
        usage: { input: 7, output: 3 },
        stopReason: 'toolUse',
      },
      {
        role: 'toolResult',
        toolCallId: 'call_a',
        toolName: 'edit',
        content: [{ type: 'text', text: 'Replaced it.' }],
        details: { diff: '+1 -1' },
        isError: false,
      },
      { role: 'bashExecution', command: 'git log', output: '7fd78bc first', exitCode: 0 },
    ])
    return withLcm(path, cacheDir, async ({ transcript, retrieval }) => {
      const [said, result, command] = transcript.page(newest).messages
      expect(said?.parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool', 'step_finish'])
      expect(said?.parts[0]?.text).toBe('Which file? LANTERNTHOUGHT')
      expect(said?.parts[2]).toMatchObject({ toolCallId: 'call_a', toolName: 'edit', toolOutput: null })
      expect(JSON.parse(said?.parts[2]?.toolInput ?? '')).toEqual({ path: 'a.ts' })
      expect(JSON.parse(said?.parts[3]?.metadata ?? '')).toMatchObject({ model: 'some-model' })
      expect(result).toMatchObject({
        role: 'tool',
        parts: [
          {
            type: 'tool',
            toolCallId: 'call_a',
            toolName: 'edit',
            toolStatus: 'completed',
            toolOutput: 'Replaced it.',
            metadata: '{"details":{"diff":"+1 -1"}}',
          },
        ],
      })
      expect(command?.parts).toMatchObject([
        {
          toolName: 'bash',
          toolCallId: null,
          toolInput: '{"command":"git log"}',
          toolStatus: 'completed',
          toolOutput: '7fd78bc first',
        },
      ])
      // What only the original holds is found too: its own search never sees reasoning.
      const asked = { query: 'LANTERNTHOUGHT', scope: 'messages', conversationIds: [2] }
      expect((await retrieval.grep(GrepInput.parse(asked))).hits.map(({ id }) => id)).toEqual([said?.id])
    })
  })

  it('finds a message by the UUID that Pi gave it', () => {
    const [one] = stored<{ row: number; id: string; seq: number }>(
      SMALL,
      `SELECT m.rowid AS row, m.id, m.seq FROM messages AS m JOIN summary_sources AS s ON s.source_id = m.id
       JOIN summary_sources AS above ON above.source_id = s.summary_id ORDER BY m.rowid LIMIT 1 OFFSET 3`,
    )
    const [id, focus] = [one?.id ?? '', `msg_${one?.row}`]
    return withLcm(SMALL, cacheDir, ({ retrieval, dag }) => {
      expect(retrieval.describe(id, 100)).toMatchObject({ id: focus, kind: 'message', seq: one?.seq })
      expect(dag.lineage(id).coveredBy).toHaveLength(2)
      expect(dag.neighbourhood({ id, up: 2, down: 1, maxPerNode: 5, expanded: [] })).toMatchObject({ focus })
    })
  })

  it('reads every type of message of Pi', async () => {
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
    await withLcm(goesOn(originals), cacheDir, async (lcm) => {
      const { messages } = lcm.transcript.page(newest)
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

  it('is read again after the session continued and was compacted', async () => {
    const { read, write, lcm } = await following(SMALL, cacheDir)
    const before = read()
    const add = (seq: number, id: string) =>
      `INSERT INTO messages (id, conversation_id, role, content_text, content_json, token_estimate, timestamp, seq, dedup_hash)
       SELECT '${id}', id, 'user', 'and ${id}', '{"role":"user","content":"and ${id}"}', 5, 1772700000000, ${seq}, '${id}' FROM conversations WHERE rowid = 2`
    write(`${add(1000, 'first')}; ${add(1001, 'second')}`)
    expect(read()).toMatchObject({ messages: total + 2, contextItems: before.contextItems + 2 })
    const [one, two] = [`msg_${second.last + 1}`, `msg_${second.last + 2}`]
    write(`INSERT INTO summaries SELECT 'sum-new', id, 0, 'in short', 9, NULL, '2026-11-20T12:00:00.000Z' FROM conversations WHERE rowid = 2;
      INSERT INTO summary_sources SELECT 'sum-new', 'message', id, seq FROM messages WHERE conversation_id = '${second.id}' AND seq < 1000 AND NOT is_compacted;
      UPDATE messages SET is_compacted = 1 WHERE id IN (SELECT source_id FROM summary_sources WHERE summary_id = 'sum-new')`)
    expect(read().summaries).toBe(before.summaries + 1)
    const deeper = shownOf(second.id).slice(0, -1)
    const window = () => lcm.context.assemble({ conversationId: 2 }).items.map(({ id }) => id)
    expect(window()).toEqual([...deeper, 'sum-new', one, two])
    // The newest row goes and another takes its number.
    write(`DELETE FROM messages WHERE id = 'second'; ${add(1001, 'third')}`)
    expect(lcm.transcript.message('third')).toMatchObject({ id: two, content: 'and third' })
    expect(() => lcm.retrieval.describe('second', 10)).toThrow(expect.objectContaining({ code: 'not_found' }))
    write(`INSERT INTO conversations VALUES ('c-new', 's-new', NULL, '/x', '2026-11-20', '2026-11-20')`)
    expect(read().perConversation.map((row) => row.conversationId)).toEqual([1, 2, 3])
  })

  it('shows a message as lost that is marked as compacted and in no summary', async () => {
    const path = changedCopy(SMALL, (db) =>
      db.exec(`UPDATE messages SET is_compacted = 1 WHERE rowid = ${second.last}`),
    )
    await withLcm(path, cacheDir, async (lcm) => {
      const lost = `msg_${second.last}`
      expect(lcm.retrieval.describe(lost, 10).visibility).toBe('absent')
      const gap = (await checkIntegrity(lcm, 2)).checks.find((check) => check.id === 'coverage_gap')
      expect(gap?.samples.map(({ id }) => id)).toContain(lost)
    })
  })

  it('keeps the messages of a conversation without a row', async () => {
    const path = changedCopy(SMALL, (db) =>
      db.exec(`PRAGMA foreign_keys = OFF; DELETE FROM conversations WHERE rowid = 1`),
    )
    await withLcm(path, cacheDir, async (lcm) => {
      const [here, gone] = lcm.stats.conversations()
      expect(here).toMatchObject({ conversationId: 2, messages: second.messages })
      const own = summaries.filter(({ conversation }) => conversation === first.id).length
      expect(gone).toMatchObject({ messages: first.messages, summaries: own, sessionId: first.id })
      await askEveryService(lcm)
    })
  })
})
