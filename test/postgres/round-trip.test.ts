import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseAddress } from '#core/database-address.ts'
import { LcmError } from '#core/errors.ts'
import { Follower } from '#core/jobs/follower.ts'
import { Jobs } from '#core/jobs/jobs.ts'
import { distrust, isNoted } from '#core/remote/noted-changes.ts'
import { fromStored, toStored } from '#core/remote/postgres/exact-texts.ts'
import { STORED_TABLES } from '#core/remote/postgres/tables.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { pullForReading, pullInTurn } from '#core/remote/pull-in-turn.ts'
import { changesIn, nativeHead, nativeRows } from '#core/remote/pulled-file.ts'
import { pushChanges } from '#core/remote/push.ts'
import { sendMemory } from '#core/remote/send.ts'
import { Servers } from '#core/remote/servers.ts'
import { holdLock } from '#core/sqlite/cache-db.ts'
import { openNative } from '#core/sqlite/native.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { readPulledFrom } from '#core/systems/opening/pulled-from.ts'
import { runToEnd } from '#core/yielding.ts'
import { runImport } from '../builders/import.ts'
import { TestMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'
import { runs } from '../builders/property-runs.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { transcriptSamples, writeSample } from '../builders/transcript-samples.ts'
import { type InProcess, inProcess } from './pglite.ts'

const never = new AbortController().signal
const tenant = 'acme'
let server: InProcess
beforeAll(async () => {
  server = await inProcess()
})
afterAll(() => server.close())

const send = (from: ReadDb, to = tenant) => runToEnd(sendMemory({ from, to: server.db, tenant: to }, never))
const pull = (conversationId: number, to: string, signal = never) =>
  runToEnd(pullConversation({ from: server.db, key: { tenant, conversationId }, to }, signal))
const freshPath = () => join(temporaryFolder(), 'pulled.db')
const everyRow = (db: ReadDb, conversation: number) =>
  STORED_TABLES.map((table) => [table.name, [...nativeRows(db, table, conversation)]])
/** Every test has sessions of its own. */
const sessions = { made: 0 }
const newSession = () => {
  sessions.made += 1
  return `session ${sessions.made}`
}

function sampleMemory(): { memory: TestMemory; conversation: number; messages: number[] } {
  const memory = new TestMemory()
  const conversation = memory.conversation({ sessionId: newSession(), title: 'A title' })
  const messages = memory.messages(conversation, 30)
  const a = memory.leaf(conversation, messages.slice(0, 10))
  const b = memory.leaf(conversation, messages.slice(10, 20))
  memory.condensed(conversation, [a, b])
  memory.largeFile(conversation, { file_id: `file_of_${conversation}` })
  return { memory, conversation, messages }
}

/** A conversation in the tenant, and two files that were pulled from it. */
async function pulledTwice() {
  const { memory } = sampleMemory()
  const id = (await send(memory.db)).conversations[0]?.to ?? 0
  memory.close()
  const paths = [freshPath(), freshPath()] as const
  for (const path of paths) await pull(id, path)
  return { id, paths }
}

function edit(path: string, body: (memory: TestMemory) => void): void {
  const memory = new TestMemory(path)
  body(memory)
  memory.db.close()
}

/** Imports a transcript; one in which nothing can be recognised yet gives nothing. */
async function importAsFarAsItGoes(db: WriteDb, path: string): Promise<void> {
  await runImport(db, [path]).catch((error: unknown) => expect(error).toMatchObject({ code: 'transcript_unreadable' }))
}

async function push(path: string) {
  using db = openNative(path)
  return await pushChanges(server.db, db)
}

describe('a conversation that was copied into a tenant and pulled', () => {
  it('has the same rows, and its search index finds them', async () => {
    const { memory, conversation } = sampleMemory()
    const sent = await send(memory.db)
    expect(sent.conversations).toMatchObject([{ messages: 30, summaries: 3, isThere: false }])
    const to = freshPath()
    const id = sent.conversations[0]?.to ?? 0
    expect(await pull(id, to)).toMatchObject({ messages: 30, summaries: 3, edges: 22, isUpdate: false })
    using pulled = openNative(to)
    expect(everyRow(pulled, id)).toEqual(everyRow(memory.db, conversation))
    expect(pulled.value('SELECT count(*) FROM messages_fts WHERE messages_fts MATCH :q', { q: 'conversation' })).toBe(
      30,
    )
    // Fails when the index does not agree with the rows.
    pulled.exec("INSERT INTO messages_fts (messages_fts, rank) VALUES ('integrity-check', 1)")
    memory.close()
  })

  it('is copied once: a second copy leaves it as it is', async () => {
    const { memory } = sampleMemory()
    const [first] = (await send(memory.db)).conversations
    expect((await send(memory.db)).conversations).toMatchObject([{ to: first?.to, isThere: true, messages: 0 }])
    memory.close()
  })

  // "any text comes back byte-equal"
  it('has the same rows whatever they hold', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\0', 'a\0b', '\ufffd', '', '\u{1f600}'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ content: text, tool: text, tokens: fc.nat() }), { minLength: 1, maxLength: 8 }),
        fc.record({ leafOf: fc.nat(8), content: text, title: text }),
        async (messages, summary) => {
          using memory = new TestMemory()
          const conversation = memory.conversation({ sessionId: newSession(), title: summary.title })
          const ids = messages.map(({ content, tool, tokens }) =>
            memory.message(conversation, {
              content,
              tokens,
              parts: [
                { part_type: 'text', is_content: 1 },
                { part_type: 'tool', tool_output: tool, step_cost: 0.1 + tokens, metadata: tool },
              ],
            }),
          )
          const covered = ids.slice(0, summary.leafOf)
          if (covered.length > 0) memory.leaf(conversation, covered, { content: summary.content })
          const id = (await send(memory.db)).conversations[0]?.to ?? 0
          const to = freshPath()
          await pull(id, to)
          using pulled = openNative(to)
          expect(everyRow(pulled, id)).toEqual(everyRow(memory.db, conversation))
        },
      ),
      { numRuns: runs(15) },
    )
  })

  it('keeps damaged rows: links to nothing and a wrong hash', async () => {
    const { memory, conversation } = sampleMemory()
    memory.damage("UPDATE messages SET content_hash = 'wrong' WHERE seq = 3")
    memory.damage('UPDATE summary_messages SET message_id = 9999 WHERE message_id = 2')
    memory.damage("INSERT INTO summary_sources VALUES ('sum_gone', 'sum_gone_too', 0)")
    const sent = await send(memory.db)
    expect(sent.leftOut).toEqual([{ table: 'summary_sources', rows: 1 }])
    const to = freshPath()
    const id = sent.conversations[0]?.to ?? 0
    await pull(id, to)
    using pulled = openNative(to)
    expect(everyRow(pulled, id)).toEqual(everyRow(memory.db, conversation))
    memory.close()
  })

  it('is pulled on where an interrupted pull ended', async () => {
    const memory = new TestMemory()
    const conversation = memory.conversation({ sessionId: newSession() })
    memory.messages(conversation, 700)
    const id = (await send(memory.db)).conversations[0]?.to ?? 0
    const to = freshPath()
    const abort = new AbortController()
    const job = pullConversation({ from: server.db, key: { tenant, conversationId: id }, to }, abort.signal)
    await job.next()
    abort.abort()
    await expect(runToEnd(job)).rejects.toMatchObject({ code: 'cancelled' })
    const partial = openNative(`${to}.pulling`)
    const kept = partial.value<number>('SELECT count(*) FROM messages') ?? 0
    partial.close()
    expect(kept).toBeGreaterThan(0)
    expect(await pull(id, to)).toMatchObject({ messages: 700, newMessages: 700 - kept })
    using pulled = openNative(to)
    expect(everyRow(pulled, id)).toEqual(everyRow(memory.db, conversation))
    memory.close()
  })

  it('says which conversation spawned it, though that is not in the file', async () => {
    const memory = new TestMemory()
    const parent = memory.conversation({ sessionId: newSession() })
    memory.messages(memory.conversation({ sessionId: newSession(), parentConversationId: parent }), 2)
    const [above, below] = (await send(memory.db)).conversations
    memory.close()
    const to = freshPath()
    expect(await pull(below?.to ?? 0, to)).toMatchObject({ parentConversationId: above?.to })
    using opened = openMemory(to)
    expect(opened.info.pulledFrom).toMatchObject({ conversationId: below?.to, parentId: above?.to })
  })

  it('is pulled from a tenant with the longest name, whatever characters that has', async () => {
    for (const name of ['\u{1d4b3}'.repeat(200), `o'brien "x" \\ ;--\u202e\u200f\n`, ' ', '*']) {
      const { memory, conversation } = sampleMemory()
      const id = (await send(memory.db, name)).conversations[0]?.to ?? 0
      const to = freshPath()
      const { shown } = parseAddress(`${server.db.shown}?tenant=${encodeURIComponent(name)}`, 'argument').address
      await runToEnd(
        pullConversation({ from: { ...server.db, shown }, key: { tenant: name, conversationId: id }, to }, never),
      )
      using pulled = openNative(to)
      expect(everyRow(pulled, id)).toEqual(everyRow(memory.db, conversation))
      expect(readPulledFrom(pulled)).toMatchObject({ tenant: name, address: shown })
      memory.close()
    }
  })

  it('leaves nothing behind where it is not there, or has no folder to go to', async () => {
    const to = freshPath()
    await expect(pull(999_999, to)).rejects.toMatchObject({ code: 'not_found' })
    expect(readdirSync(dirname(to))).toEqual([])
    await expect(pull(1, join(dirname(to), 'none', 'a.db'))).rejects.toMatchObject({ code: 'file_missing' })
  })

  it('is not pulled into a file of something else', async () => {
    const { id } = await pulledTwice()
    using other = new TestMemory()
    await expect(pull(id, other.path)).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})

describe('a pulled file', () => {
  it('is brought up to date with messages and compactions that were pushed from another', async () => {
    const { id, paths } = await pulledTwice()
    edit(paths[0], (memory) => {
      const added = memory.messages(id, 12)
      memory.leaf(id, added.slice(0, 5))
      memory.parts(3, [{ part_type: 'compaction', is_synthetic: 1 }])
      memory.db.run('UPDATE messages SET token_count = 77 WHERE message_id = 25')
    })
    await push(paths[0])
    expect(await pull(id, paths[1])).toMatchObject({ isUpdate: true, newMessages: 12 })
    const [a, b] = paths.map((path) => openNative(path))
    if (!a || !b) throw new Error('two files')
    expect(everyRow(b, id)).toEqual(everyRow(a, id))
    for (const db of [a, b]) db.close()
  })

  it('reads only what was appended when nothing else was written', async () => {
    const { id, paths } = await pulledTwice()
    edit(paths[0], (memory) => void memory.messages(id, 3))
    await push(paths[0])
    expect(await pull(id, paths[1])).toMatchObject({ newMessages: 3 })
    const [a, b] = paths.map((path) => openNative(path))
    if (!a || !b) throw new Error('two files')
    expect(everyRow(b, id)).toEqual(everyRow(a, id))
    for (const db of [a, b]) db.close()
  })

  it('is pulled into the cache by one program after another, and its own changes are not what a reader gets', async () => {
    const { id } = await pulledTwice()
    const request = { key: { tenant, conversationId: id }, to: freshPath() }
    const readers = [1, 2, 3].map(() => runToEnd(pullForReading({ from: server.connect(), ...request }, never)))
    const reports = await Promise.all(readers)
    expect(reports.map(({ isUpdate }) => isUpdate).toSorted()).toEqual([false, true, true])
    edit(request.to, ({ db }) => db.run("UPDATE conversations SET title = 'only here'"))
    const { path } = await runToEnd(pullForReading({ from: server.connect(), ...request }, never))
    using read = openNative(path)
    expect(read.value('SELECT title FROM conversations')).toBe('A title')
  })

  it('says after a while that another program still copies it, and waits no longer than it is asked to', async () => {
    const { id } = await pulledTwice()
    const to = freshPath()
    const release = holdLock(`${to}.lock`)
    const request = { from: server.db, key: { tenant, conversationId: id }, to }
    await expect(runToEnd(pullInTurn(request, never, 2))).rejects.toMatchObject({ code: 'locked' })
    const abort = new AbortController()
    const waiting = pullInTurn(request, abort.signal)
    await waiting.next()
    abort.abort()
    await expect(waiting.next()).rejects.toMatchObject({ code: 'cancelled' })
    release?.()
  })

  it('is not overwritten by a pull when it has changes of its own', async () => {
    const { id, paths } = await pulledTwice()
    edit(paths[0], (memory) => void memory.messages(id, 1))
    await expect(pull(id, paths[0])).rejects.toMatchObject({ code: 'conflict' })
  })
})

/** What may be written to a file of a conversation, also in its old rows. `n` says which row. */
const WRITES: Readonly<Record<string, (memory: TestMemory, id: number, n: number) => void>> = {
  'append messages': (memory, id, n) => void memory.messages(id, 1 + (n % 3)),
  'append a message outside of the window': (memory, id) => void memory.message(id, { inWindow: false }),
  'append a large file': (memory, id, n) => void memory.largeFile(id, { file_id: `file_${id}_${n}` }),
  'add a part to a message': (memory, _, n) =>
    memory.parts(nth(memory, 'SELECT message_id FROM messages', n), [{ part_type: 'compaction', is_synthetic: 1 }]),
  'count a message again': ({ db }, _, n) =>
    void db.run('UPDATE messages SET token_count = token_count + 1 WHERE message_id % 30 = :n', { n: n % 30 }),
  'rewrite a summary': (memory, _, n) =>
    void memory.db.run('UPDATE summaries SET content = content || :n WHERE summary_id = :id', {
      ...{ n, id: nth(memory, 'SELECT summary_id FROM summaries', n) },
    }),
  'compact a message': (memory, id, n) => {
    const message = nth<number>(memory, 'SELECT message_id FROM context_items WHERE message_id IS NOT NULL', n)
    memory.leaf(id, [message], { content: `Of ${message}.` })
  },
  'take an item out of the window': (memory, _, n) =>
    void memory.db.run('DELETE FROM context_items WHERE ordinal = :ordinal', {
      ordinal: nth(memory, 'SELECT ordinal FROM context_items', n),
    }),
  'put a message back into the window': ({ db }, id) =>
    void db.run(
      `INSERT INTO context_items SELECT :id, 1 + (SELECT min(ordinal) FROM context_items AS a WHERE NOT EXISTS (
          SELECT 1 FROM context_items AS b WHERE b.ordinal = a.ordinal + 1)), 'message', message_id, NULL, 1
        FROM messages WHERE message_id NOT IN (SELECT message_id FROM context_items WHERE message_id IS NOT NULL)
        LIMIT 1`,
      { id: BigInt(id) },
    ),
  'forget a summary': (memory, _, n) => {
    const id = nth(memory, 'SELECT summary_id FROM summaries', n)
    for (const [table, column] of FORGOTTEN) memory.db.run(`DELETE FROM ${table} WHERE ${column} = :id`, { id })
  },
  'name the conversation': ({ db }, _, n) => void db.run('UPDATE conversations SET title = :n', { n: `Title ${n}` }),
}
const FORGOTTEN = [
  ['context_items', 'summary_id'],
  ['summary_sources', 'source_summary_id'],
  ['summaries', 'summary_id'],
] as const
function nth<T extends string | number>({ db }: TestMemory, sql: string, n: number): T {
  const all = db.column<T>(sql)
  return all[n % Math.max(1, all.length)] ?? (0 as T)
}
const someWrites = fc.array(
  fc.record({ what: fc.constantFrom(...Object.keys(WRITES)), n: fc.nat(60), isPushed: fc.boolean() }),
  { minLength: 1, maxLength: 6 },
)

describe('a change of any row', () => {
  it('is pulled when another file pushed it, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(someWrites, async (writes) => {
        const { id, paths } = await pulledTwice()
        for (const { what, n, isPushed } of writes) {
          edit(paths[0], (memory) => WRITES[what]?.(memory, id, n))
          if (!isPushed) continue
          await push(paths[0])
          if (n % 2 === 0) await pull(id, paths[1])
        }
        await push(paths[0])
        await pull(id, paths[1])
        const [a, b] = paths.map((path) => openNative(path))
        if (!a || !b) throw new Error('two files')
        expect(everyRow(b, id)).toEqual(everyRow(a, id))
        expect({ ...nativeHead(b, id), updated_at: 0 }).toEqual({ ...nativeHead(a, id), updated_at: 0 })
        for (const db of [a, b]) {
          expect(isNoted(db)).toBe(true)
          distrust(db)
          expect([...changesIn(db, id)]).toEqual([])
          db.close()
        }
      }),
      { numRuns: runs(30) },
    )
  })

  it('is noticed in the file without reading all rows, as by a comparison of all', async () => {
    const { id, paths } = await pulledTwice()
    fc.assert(
      fc.property(someWrites, (writes) => {
        const path = freshPath()
        copyFileSync(paths[0], path)
        edit(path, (memory) => {
          for (const { what, n } of writes) WRITES[what]?.(memory, id, n)
          expect(isNoted(memory.db)).toBe(true)
          const noted = [...changesIn(memory.db, id)]
          distrust(memory.db)
          expect(noted).toEqual([...changesIn(memory.db, id)])
        })
      }),
      { numRuns: runs(60) },
    )
  })

  it('costs what it brings: rows that nobody wrote are not read again, but when that is asked for', async () => {
    const memory = new TestMemory()
    const conversation = memory.conversation({ sessionId: newSession() })
    memory.messages(conversation, 500)
    const id = (await send(memory.db)).conversations[0]?.to ?? 0
    memory.close()
    const paths = [freshPath(), freshPath()] as const
    for (const path of paths) await pull(id, path)
    edit(paths[0], (file) => void file.messages(id, 2))
    await push(paths[0])
    // A row that was damaged under the triggers is not noticed by what reads only what was written.
    edit(paths[1], (file) => file.damage("UPDATE messages SET content = 'damaged' WHERE message_id = 7"))
    expect(await pull(id, paths[1])).toMatchObject({ newMessages: 2, comparedAll: false })
    const everything = pullConversation(
      { from: server.db, key: { tenant, conversationId: id }, to: paths[1], compare: 'everything' },
      never,
    )
    await expect(runToEnd(everything)).rejects.toMatchObject({ code: 'conflict' })
    edit(paths[1], (file) =>
      file.damage(`UPDATE messages SET content = 'Message 6 of conversation ${conversation}.' WHERE message_id = 7`),
    )
    const again = { from: server.db, key: { tenant, conversationId: id }, to: paths[1], compare: 'everything' } as const
    expect(await runToEnd(pullConversation(again, never))).toMatchObject({ newMessages: 0, comparedAll: true })
  })
})

describe('a follower', () => {
  it('reads what was changed in the file once, and again when somebody wrote to it', async () => {
    const { id, paths } = await pulledTwice()
    const [path] = paths
    edit(path, (file) => void file.messages(id, 2))
    let nowMs = 0
    const folders = { data: temporaryFolder(), cache: temporaryFolder() }
    const servers = new Servers({ folders, env: {}, keys: null })
    const jobs = new Jobs(
      async () => expect.fail('no job is due'),
      () => nowMs,
      () => {},
    )
    const follower = new Follower(
      jobs,
      () => nowMs,
      async () => servers,
    )
    const { read: db, info, close } = openMemory(path)
    const read: ReadDb = { ...db }
    const reads = vi.spyOn(read, 'iterate')
    const told = async () => {
      nowMs += 60_000
      follower.look({ info, read })
      await vi.waitFor(() => expect(follower.state({ info, read }).askedAtMs).toBe(nowMs), { timeout: 60_000 })
      return follower.state({ info, read })
    }
    const added = (rows: number) => ({
      state: 'changed_here',
      changes: expect.arrayContaining([{ table: 'messages', added: rows, replaced: 0, removed: 0 }]),
    })
    expect(await told()).toMatchObject(added(2))
    const once = reads.mock.calls.length
    expect(once).toBeGreaterThan(0)
    expect(await told()).toMatchObject(added(2))
    expect(reads).toHaveBeenCalledTimes(once)
    edit(path, (file) => void file.messages(id, 1))
    expect(await told()).toMatchObject(added(3))
    close()
  })
})

describe('a pull that compares everything', () => {
  const all = (conversationId: number, to: string) =>
    runToEnd(pullConversation({ from: server.db, key: { tenant, conversationId }, to, compare: 'everything' }, never))
  /** As an administrator who switches off what protects the rows. */
  async function sql(text: string, id: number): Promise<void> {
    await server.engine.exec('SET session_replication_role = replica')
    await server.engine.query(text, [id])
    await server.engine.exec('RESET session_replication_role')
  }

  it('names messages and parts that were changed or removed on the server, and leaves the file as it is', async () => {
    using memory = new TestMemory()
    const conversation = memory.conversation({ sessionId: newSession() })
    const messages = memory.messages(conversation, 4)
    memory.message(conversation, { content: 'a call', parts: [{ part_type: 'tool', tool_output: 'seen' }] })
    const id = (await send(memory.db)).conversations[0]?.to ?? 0
    const to = freshPath()
    await pull(id, to)
    expect(await all(id, to)).toMatchObject({ comparedAll: true, newMessages: 0 })
    await sql("UPDATE lcm.messages SET content = 'other' WHERE conversation_id = $1 AND seq = 1", id)
    await sql(
      "UPDATE lcm.message_parts SET tool_output = 'other' WHERE conversation_id = $1 AND tool_output = 'seen'",
      id,
    )
    await sql('DELETE FROM lcm.messages WHERE conversation_id = $1 AND seq = 2', id)
    const before = openNative(to)
    const rows = everyRow(before, id)
    before.close()
    await expect(all(id, to)).rejects.toMatchObject({
      code: 'conflict',
      details: {
        // The removed message has a part.
        total: 4,
        differences: expect.arrayContaining([
          { table: 'messages', unit: messages[1], what: 'changed' },
          { table: 'messages', unit: messages[2], what: 'gone' },
          expect.objectContaining({ table: 'message_parts', what: 'changed' }),
        ]),
      },
    })
    using after = openNative(to)
    expect(everyRow(after, id)).toEqual(rows)
  })

  it('takes over summaries and token counts that were changed there', async () => {
    const { id, paths } = await pulledTwice()
    await sql('UPDATE lcm.messages SET token_count = token_count + 7 WHERE conversation_id = $1', id)
    await sql("UPDATE lcm.summaries SET content = 'rewritten' WHERE conversation_id = $1 AND kind = 'condensed'", id)
    expect(await all(id, paths[0])).toMatchObject({ comparedAll: true, newMessages: 0 })
    const to = freshPath()
    await pull(id, to)
    const [a, b] = [openNative(paths[0]), openNative(to)]
    expect(everyRow(a, id)).toEqual(everyRow(b, id))
    for (const db of [a, b]) db.close()
  })

  it('says that it did not where a replica is behind the file', async () => {
    const { id, paths } = await pulledTwice()
    await sql('UPDATE lcm.conversations SET appends = appends - 1 WHERE conversation_id = $1', id)
    expect(await all(id, paths[0])).toMatchObject({ comparedAll: false })
  })
})

describe('a push', () => {
  it('writes added, changed and removed rows, and a second one has nothing to do', async () => {
    const { id, paths } = await pulledTwice()
    edit(paths[0], (memory) => {
      memory.db.run("UPDATE summaries SET content = 'rewritten' WHERE kind = 'condensed'")
      memory.db.run('DELETE FROM context_items WHERE ordinal = (SELECT max(ordinal) FROM context_items)')
      memory.leaf(id, memory.messages(id, 4))
    })
    const report = await push(paths[0])
    expect(report.tables.find(({ table }) => table === 'summaries')).toEqual({
      table: 'summaries',
      added: 1,
      replaced: 1,
      removed: 0,
    })
    expect((await push(paths[0])).tables).toEqual([])
    const to = freshPath()
    await pull(id, to)
    const [a, b] = [openNative(paths[0]), openNative(to)]
    expect(everyRow(b, id)).toEqual(everyRow(a, id))
    for (const db of [a, b]) db.close()
  })

  it('refuses when a row that it replaces was changed meanwhile, names the row and writes nothing', async () => {
    const { id, paths } = await pulledTwice()
    for (const [index, path] of paths.entries()) {
      edit(path, (memory) => {
        memory.db.run("UPDATE summaries SET content = :text WHERE kind = 'condensed'", { text: `by ${index}` })
        if (index === 1) memory.messages(id, 2)
      })
    }
    await push(paths[0])
    const error = await push(paths[1]).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(LcmError)
    expect(error).toMatchObject({ code: 'conflict', details: { conflicts: [{ table: 'summaries', what: 'changed' }] } })
    const to = freshPath()
    expect(await pull(id, to)).toMatchObject({ messages: 30 })
  })

  it('counts as done when its answer was lost', async () => {
    const { id, paths } = await pulledTwice()
    edit(paths[0], (memory) => void memory.leaf(id, memory.messages(id, 4)))
    const before = openNative(paths[0])
    const recorded = before.all<{ table_name: string; unit: string; hash: string }>('SELECT * FROM pulled_rows')
    before.close()
    await push(paths[0])
    edit(paths[0], ({ db }) => {
      db.run('DELETE FROM pulled_rows')
      for (const row of recorded) db.runRaw('INSERT INTO pulled_rows VALUES (?, ?, ?)', Object.values(row))
    })
    await push(paths[0])
    using db = openNative(paths[0])
    expect([...changesIn(db, id)]).toEqual([])
  })

  it('appends beside another one that appended rows elsewhere, and conflicts where both took the same number', async () => {
    const { id, paths } = await pulledTwice()
    edit(paths[0], (memory) => void memory.messages(id, 1))
    edit(paths[1], (memory) => void memory.leaf(id, [21, 22, 23]))
    await push(paths[0])
    await push(paths[1])
    const [third, fourth] = [freshPath(), freshPath()]
    for (const path of [third, fourth]) {
      await pull(id, path)
      edit(path, (memory) => void memory.message(id, { content: path }))
    }
    await push(third)
    await expect(push(fourth)).rejects.toMatchObject({ code: 'conflict' })
  })

  // Where a transcript may end while its agent writes it: no message of PostgreSQL ever changes, so the rest is added.
  it.each(transcriptSamples)('takes what was imported after the transcript of $name went on', async (sample) => {
    const path = writeSample(sample)
    const bytes = readFileSync(path)
    const cuts = runs(2)
    for (let n = 1; n <= cuts; n += 1) {
      const cut = Math.round((bytes.length * n) / (cuts + 1))
      using memory = new TestMemory()
      writeFileSync(path, bytes.subarray(0, cut))
      await importAsFarAsItGoes(memory.db, path)
      const to = `${sample.name} ${cut}`
      const [first] = (await send(memory.db, to)).conversations
      if (first === undefined) continue
      const key = { tenant: to, conversationId: first.to }
      const [grown, again] = [freshPath(), freshPath()]
      await runToEnd(pullConversation({ from: server.db, key, to: grown }, never))
      writeFileSync(path, bytes)
      const { db: file } = new TestMemory(grown)
      await importAsFarAsItGoes(file, path)
      file.close()
      await push(grown)
      await runToEnd(pullConversation({ from: server.db, key, to: again }, never))
      const [a, b] = [openNative(grown), openNative(again)]
      expect(everyRow(b, key.conversationId), `cut at ${cut}`).toEqual(everyRow(a, key.conversationId))
      for (const db of [a, b]) db.close()
    }
  })

  it('counts what else is in the file, which stays there', async () => {
    using memory = new TestMemory()
    memory.messages(memory.conversation(), 3)
    const [first] = (await send(memory.db, 'with others')).conversations
    const key = { tenant: 'with others', conversationId: first?.to ?? 0 }
    const path = freshPath()
    await runToEnd(pullConversation({ from: server.db, key, to: path }, never))
    expect(await push(path)).toMatchObject({ tables: [], otherConversations: 0 })
    edit(path, (pulled) => pulled.messages(pulled.conversation(), 2))
    expect(await push(path)).toMatchObject({ tables: [], otherConversations: 1 })
  })

  it('is refused for a file that was not pulled', async () => {
    using memory = new TestMemory()
    await expect(pushChanges(server.db, memory.db)).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})

describe('texts that PostgreSQL refuses', () => {
  it('come back unchanged, also with surrogates that have no partner', () => {
    const unit = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0xd800, 0xdfff))
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const content = String.fromCharCode(...units)
        const stored = toStored({ content })
        expect(String(stored.content)).not.toMatch(/\0|\p{Surrogate}/u)
        expect(fromStored({ exact_texts: null, ...stored })).toEqual({ content })
      }),
    )
  })
})
