import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FleetQuery } from '#core/contract/fleet.ts'
import { LcmError } from '#core/errors.ts'
import { openLcm } from '#core/lcm.ts'
import { copyFromTenant } from '#core/remote/copy-from-tenant.ts'
import { checkConversations, readFleet } from '#core/remote/fleet.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { fetchFile } from '#core/remote/pull-files.ts'
import { pushFile } from '#core/remote/push.ts'
import { sendMemory } from '#core/remote/send.ts'
import { runToEnd } from '#core/yielding.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { TestMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { VoltUser } from '../builders/volt.ts'
import { type InProcess, inProcess } from './pglite.ts'

const never = new AbortController().signal
/** A name that has to be quoted wherever it stands. */
const HOSTILE = `user_x"; DROP SCHEMA public; --`
const TEXT = `It's "quoted" \\x00 $1 :a ?\n漢字 😀 %_\\ <b>`
let server: InProcess
let ada: VoltUser
let old: VoltUser
let conversation = 0

beforeAll(async () => {
  server = await inProcess({ migrated: false })
  const query = async <T>(sql: string, values: readonly unknown[] = []) =>
    (await server.engine.query(sql, [...values])).rows as T[]
  ada = await VoltUser.make(query, 'user_ada')
  old = await VoltUser.make(query, HOSTILE, { isNew: false })
  conversation = await ada.conversation('ses_ada', 'Repair the queue')
  const ids = await said(ada, conversation, 12)
  const first = await ada.sprig(
    conversation,
    ids.slice(0, 3),
    'What was said first, in a few words: the queue lost a job.',
  )
  const second = await ada.sprig(
    conversation,
    ids.slice(3, 6),
    'What was said next: the lease was too short for a slow disk.',
  )
  const bindle = await ada.bindle(
    conversation,
    [first, second],
    'The queue lost a job, because its lease was too short for the disk.',
  )
  await ada.sprig(conversation, ids.slice(6, 8), 'A third piece.')
  await ada.evict(conversation, bindle)
  await ada.textFile(conversation, 'file_0123456789abcdef', `${TEXT}\n`.repeat(20_000))
  const child = await ada.conversation('ses_child', '', conversation)
  await ada.message(child, 'user', 'Look at the log.')
  const theirs = await old.conversation('ses_old')
  const more = await said(old, theirs, 5)
  await old.sprig(theirs, more.slice(0, 2), '')
}, 240_000)
afterAll(() => server.close())

async function said(user: VoltUser, id: number, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let number = 0; number < count; number += 1) {
    const isCall = number % 4 === 1
    const content = isCall ? `<tool name="read">\nInput: {}\nOutput: ${TEXT}\n</tool>` : `${number}: ${TEXT}`
    const part = isCall
      ? {
          type: 'tool',
          tool_call_id: `call_${number}`,
          tool_name: 'read',
          tool_status: 'completed',
          tool_output: TEXT,
          tool_input: '{"a":1}',
        }
      : { type: 'text', text_content: content, is_synthetic: true }
    ids.push(await user.message(id, number % 2 === 0 ? 'user' : 'assistant', content, [part]))
  }
  return ids
}

const pull = (tenant: string, conversationId: number, to: string) =>
  runToEnd(pullConversation({ from: server.db, key: { tenant, conversationId }, to }, never))
const freshPath = () => join(temporaryFolder(), 'pulled.db')
const fleet = (asked: Partial<FleetQuery> = {}) =>
  readFleet(server.db, FleetQuery.parse(asked), { budgetTokens: 1000, nowMs: Date.now() })
const brokenRules = async (lcm: Awaited<ReturnType<typeof openLcm>>) => {
  const { checks } = await checkMemory(lcm)
  return checks.filter(({ severity, samples }) => severity !== 'info' && samples.length > 0).map(({ id }) => id)
}
const failure = async (work: Promise<unknown>) => {
  const error = await work.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(LcmError)
  return error as LcmError
}

describe('a database of Volt', () => {
  it('has all conversations of a user copied into one file, with their large files and without findings', async () => {
    const to = freshPath()
    const asked = { from: server.db, tenant: 'user_ada', conversationId: null, to, objects: null }
    const { conversations } = await runToEnd(copyFromTenant(asked, never))
    expect(conversations).toMatchObject([
      { messages: 12, summaries: 5, isRenumbered: false, unavailableFiles: [] },
      { messages: 1, isRenumbered: false },
    ])
    using lcm = await openLcm(to, { readOnly: true })
    expect(lcm.info.copiedFrom).toMatchObject({ system: 'volt', fileName: 'user_ada' })
    expect(await brokenRules(lcm)).toEqual([])
    const read = await lcm.fileReader.read('file_0123456789abcdef', { kind: 'lines', first: 1 }, never)
    expect(read.text).toContain('quoted')
    expect(lcm.read.column('SELECT parent_conversation_id FROM conversations ORDER BY conversation_id')).toEqual([
      null,
      conversation,
    ])
  })

  it('lists the conversations of all users, page by page, in any order', async () => {
    for (const sort of ['pressure', 'ingest', 'messages', 'findings'] as const) {
      const whole = await fleet({ sort })
      expect(whole.total).toBe(3)
      expect(new Set(whole.conversations.map(({ tenant }) => tenant))).toEqual(new Set(['user_ada', HOSTILE]))
      const paged: unknown[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await fleet({ sort, limit: 1, ...(cursor === undefined ? {} : { cursor }) })
        paged.push(...page.conversations.map(({ label }) => label))
        cursor = page.nextCursor
      }
      expect(paged).toEqual(whole.conversations.map(({ label }) => label))
    }
    const { conversations, alarms } = await fleet({ sort: 'messages' })
    expect(conversations.map(({ label, messages, summaries }) => [label, messages, summaries])).toEqual([
      ['Repair the queue', 12, 5],
      ['ses_old', 5, 1],
      ['ses_child', 1, 0],
    ])
    expect(alarms.emptySummaries).toBe(1)
    expect((await fleet({ text: 'queue', tenant: 'user_ada' })).total).toBe(1)
    expect((await fleet({ alarm: 'empty_summaries' })).conversations).toMatchObject([{ tenant: HOSTILE }])
    expect((await fleet({ tenant: 'user_eve' })).total).toBe(0)
  })

  it('gives a conversation as a native file: texts, parts, lineage, window and large files', async () => {
    const path = freshPath()
    expect(await pull('user_ada', conversation, path)).toMatchObject({ messages: 12, summaries: 5, contextItems: 5 })
    using lcm = await openLcm(path, { readOnly: true })
    const stored = lcm.read.all<{ content: string }>('SELECT content FROM messages ORDER BY seq')
    const there = await ada.run('SELECT content FROM @messages WHERE conversation_id = $1 ORDER BY seq', [conversation])
    expect(stored).toEqual(there)
    expect(
      lcm.read.rows(
        'SELECT kind, depth, descendant_count, source_token_count > 0, earliest_at < latest_at FROM summaries ORDER BY summary_rowid',
      ),
    ).toEqual([
      ['leaf', 0, 0, 1, 1],
      ['leaf', 0, 0, 1, 1],
      ['condensed', 1, 2, 1, 1],
      ['leaf', 0, 0, 1, 1],
      ['condensed', 2, 3, 1, 1],
    ])
    expect(lcm.read.rows('SELECT item_type FROM context_items ORDER BY ordinal')).toEqual(
      ['summary', 'message', 'message', 'message', 'message'].map((type) => [type]),
    )
    expect(lcm.read.rows(`SELECT tool_output, tool_input FROM message_parts WHERE tool_call_id = 'call_1'`)).toEqual([
      [TEXT, '{"a": 1}'],
    ])
    expect(lcm.read.rows('SELECT session_id, title FROM conversations')).toEqual([['ses_ada', 'Repair the queue']])
    const [[uri]] = lcm.read.rows<[string]>('SELECT storage_uri FROM large_files') as [[string]]
    expect(readFileSync(join(dirname(path), uri), 'utf8')).toBe(`${TEXT}\n`.repeat(20_000))
    expect(await brokenRules(lcm)).toEqual([])
  })

  it('brings a file up to date, and reads only what is new while messages are appended', async () => {
    const path = freshPath()
    const id = await ada.conversation('ses_growing')
    const ids = await said(ada, id, 4)
    await pull('user_ada', id, path)
    ids.push(await ada.message(id, 'user', 'One more', [{ type: 'text', text_content: 'One more' }]))
    expect(await pull('user_ada', id, path)).toMatchObject({ newMessages: 1, isUpdate: true, contextItems: 5 })
    // Volt stores the parts of a message after it.
    await ada.part(ids.at(-1) ?? 0, 1, { type: 'text', text_content: 'late' })
    await pull('user_ada', id, path)
    const a = await ada.sprig(id, ids.slice(0, 2), 'Short.')
    await ada.bindle(id, [a], 'Shorter.')
    expect(await pull('user_ada', id, path)).toMatchObject({ newMessages: 0, summaries: 2, contextItems: 4 })
    using lcm = await openLcm(path, { readOnly: true })
    expect(lcm.read.value(`SELECT count(*) FROM message_parts WHERE text_content = 'late'`)).toBe(1)
  })

  it('says of a file on the machine of the agent that only its row is there', async () => {
    const to = freshPath()
    const id = await ada.conversation('ses_path')
    await said(ada, id, 1)
    const file = 'file_00000000000000ab'
    await ada.run(
      `INSERT INTO @large_files (file_id, conversation_id, original_path, mime_type, token_count)
       VALUES ($1, $2, '/home/ada/a.txt', 'text/plain', 9)`,
      [file, id],
    )
    const from = server.db
    const request = { from, key: { tenant: 'user_ada', conversationId: id }, to, contents: 'on_demand' } as const
    await runToEnd(pullConversation(request, never))
    expect(await failure(runToEnd(fetchFile({ from, path: to, id: file, objects: null }, never)))).toMatchObject({
      code: 'not_found',
    })
    using lcm = await openLcm(to, { readOnly: true })
    expect(await lcm.fileReader.check(file, never)).toMatchObject({ condition: 'missing' })
  })

  it('is read where an older version made it, without orders, pointers and parts', async () => {
    const path = freshPath()
    const [row] = (await fleet({ tenant: HOSTILE })).conversations
    expect(await pull(HOSTILE, row?.conversationId ?? 0, path)).toMatchObject({ messages: 5, summaries: 1 })
  })

  it('keeps damage as it is: links to nothing, circles, and texts that are missing', async () => {
    const path = freshPath()
    const id = await old.conversation('ses_damaged')
    const ids = await said(old, id, 6)
    const a = await old.sprig(id, ids.slice(0, 2), 'A')
    const b = await old.bindle(id, [a], 'B')
    const c = await old.bindle(id, [b], 'C')
    await old.run('INSERT INTO @summary_parents VALUES ($1, $2, 9)', [b, c])
    await old.run('ALTER TABLE @summary_parents DROP CONSTRAINT summary_parents_parent_summary_id_fkey')
    await old.run(`INSERT INTO @summary_parents VALUES ($1, 'sum_gone', 10)`, [c])
    await old.run('ALTER TABLE @messages ALTER content DROP NOT NULL')
    await old.run('UPDATE @messages SET content = NULL WHERE message_id = $1', [ids[5]])
    await old.run(
      `INSERT INTO @context_items SELECT conversation_id, 99, 'message', message_id FROM @messages WHERE message_id = $1`,
      [ids[4]],
    )
    expect(await pull(old.schema.slice(1, -1).replaceAll('""', '"'), id, path)).toMatchObject({ messages: 6 })
    const lcm = await openLcm(path, { readOnly: true })
    const found = await brokenRules(lcm)
    lcm.close()
    expect(found).toEqual(expect.arrayContaining(['lineage_cycle', 'dangling_edge']))
  })

  it('is never written to: a push, a copy into it and a check are refused with a sentence', async () => {
    const path = freshPath()
    await pull('user_ada', conversation, path)
    const pushed = await failure(pushFile(server.db, path))
    expect(pushed).toMatchObject({ code: 'unsupported', message: expect.stringContaining('Volt') })
    using memory = new TestMemory()
    const check = { from: server.db, limit: 1, tenant: null, scan: async () => 0, now: Date.now }
    for (const work of [
      () => runToEnd(sendMemory({ from: memory.db, to: server.db, tenant: 'user_ada' }, never)),
      () => runToEnd(checkConversations(check, never)),
    ]) {
      expect(await failure(work())).toMatchObject({ code: 'unsupported' })
    }
  })

  it('refuses a role that may not read, and shows only the users whose tables it may read', async () => {
    await ada.run('CREATE ROLE reader')
    await ada.run('SET ROLE reader')
    try {
      expect(await failure(fleet())).toMatchObject({
        code: 'server_refused',
        message: expect.stringContaining('USAGE'),
      })
      await ada.run('RESET ROLE')
      await ada.run('GRANT USAGE ON SCHEMA user_ada TO reader')
      await ada.run('GRANT SELECT ON ALL TABLES IN SCHEMA user_ada TO reader')
      await ada.run('SET ROLE reader')
      expect(new Set((await fleet()).conversations.map(({ tenant }) => tenant))).toEqual(new Set(['user_ada']))
      await pull('user_ada', conversation, freshPath())
      expect(await failure(pull(HOSTILE, 1, freshPath()))).toMatchObject({ code: 'server_refused' })
      expect(await failure(pull('user_eve', 1, freshPath()))).toMatchObject({ code: 'not_found' })
    } finally {
      await ada.run('RESET ROLE')
    }
  })
})
