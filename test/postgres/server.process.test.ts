// Starting a server, 200 connections at once and killing it take about twenty seconds.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectPostgres, type Postgres } from '#core/remote/postgres/connect.ts'
import { migratePostgres, POSTGRES_VERSION } from '#core/remote/postgres/migrate.ts'
import { ROLES } from '#core/remote/postgres/schema.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { pushFile } from '#core/remote/push.ts'
import { sendMemory } from '#core/remote/send.ts'
import { openNative } from '#core/sqlite/native.ts'
import { readPulledFrom } from '#core/systems/opening/pulled-from.ts'
import { runToEnd } from '#core/yielding.ts'
import { TestMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { VoltUser } from '../builders/volt.ts'
import { ended, lcm, lcmHere, startLcm } from '../doors/cli/lcm.ts'
import { connect } from '../doors/mcp/mcp-client.ts'
import { installedPostgres, PASSWORD, type RealServer, startPostgres } from './real-server.ts'

const never = new AbortController().signal
const bin = installedPostgres()
if (bin === null) console.info('PostgreSQL is not installed: test/postgres/server.process.test.ts is skipped.')
const WRITERS = 200

describe.skipIf(bin === null)('a PostgreSQL server', () => {
  let server: RealServer
  let db: Postgres
  const env = { PGPASSWORD: PASSWORD }

  beforeAll(async () => {
    server = await startPostgres(bin ?? '')
    // Four deployers at once: one does it, and the others find nothing left to do.
    const all = await Promise.all([1, 2, 3, 4].map(() => server.connect()))
    const done = await Promise.all(all.map((one) => migratePostgres(one, 4)))
    expect(done.map(({ to }) => to)).toEqual([1, 2, 3, 4].map(() => POSTGRES_VERSION))
    expect(done.map(({ from }) => from).sort()).toEqual([0, ...[1, 2, 3].map(() => POSTGRES_VERSION)])
    await Promise.all(all.map((one) => one.close()))
    db = await server.connect()
  })
  afterAll(async () => {
    await db.close()
    await server.stop()
  })

  const folder = temporaryFolder()
  const sampleMemory = (sessionId: string, messages = 30) => {
    const memory = new TestMemory()
    const conversation = memory.conversation({ sessionId })
    const ids = memory.messages(conversation, messages)
    memory.leaf(conversation, ids.slice(0, 10))
    return memory
  }
  const sendOne = async (to: Postgres, tenant: string, sessionId: string) => {
    using memory = sampleMemory(sessionId)
    const [sent] = (await runToEnd(sendMemory({ from: memory.db, to, tenant }, never))).conversations
    return sent?.to ?? 0
  }
  const rowsOf = (table: string, tenant: string) =>
    db.read(
      tenant,
      async (query) =>
        (await query<{ n: number }>(`SELECT count(*)::int AS n FROM lcm.${table} WHERE tenant_id = $1`, [tenant]))[0]
          ?.n,
    )

  it('is used from the command line: copy, pull, compact, push; the second pusher gets the conflict', async () => {
    const { shown } = server.address
    const to = [join(folder, 'one.db'), join(folder, 'two.db')] as const
    expect(JSON.parse((await lcm(['pg', 'status', shown, '--json'], { env })).stdout)).toMatchObject({
      isCurrent: true,
    })
    using memory = sampleMemory('command line', 60)
    const copied = await lcm(['copy', '--from', memory.path, '--to', shown, '--tenant', 'cli', '--json'], { env })
    const conversation = JSON.parse(copied.stdout).conversations[0].to
    for (const path of to) {
      const pulled = await lcm(
        ['pull', shown, '--tenant', 'cli', '--conversation', String(conversation), '--db', path, '--json'],
        { env },
      )
      expect(JSON.parse(pulled.stdout)).toMatchObject({ messages: 60, summaries: 1, isUpdate: false })
      const compacted = await lcm(['compact', '--conversation', String(conversation), '--db', path], {
        env: { LCM_TOKEN_BUDGET: '200' },
      })
      expect(compacted.code).toBe(0)
    }
    const results = await Promise.all(to.map((path) => lcm(['push', shown, '--db', path], { env })))
    expect(results.map(({ code }) => code).toSorted()).toEqual([0, 4])
    expect(results.find(({ code }) => code === 4)?.stderr).toMatch(/conflict: .*context_items \d+ was/)
    const integrity = await lcm(
      ['pull', shown, '--tenant', 'cli', '--conversation', String(conversation), '--db', join(folder, 'three.db')],
      { env },
    )
    expect(integrity.code).toBe(0)
    expect((await lcm(['integrity', '--db', join(folder, 'three.db')])).code).toBe(0)
    const told = async (words: readonly string[]) => {
      const {
        path: _,
        nextCursor: _next,
        bytes: _bytes,
        tookMs: _took,
        ...rest
      } = JSON.parse(
        (await lcmHere([...words, '--json'], { env: { ...env, LCM_CACHE_DIR: join(folder, 'cache') } })).stdout,
      )
      return rest
    }
    const there = ['--db', `${shown}?tenant=cli`, '--conversation', String(conversation)]
    const asked = [
      ['grep', 'conversation'],
      ['describe', 'msg_1'],
      ['trace', 'msg_1'],
      ['stats'],
      ['call', 'memory.stats'],
    ]
    for (const words of asked) {
      const file = await told([...words, '--db', join(folder, 'three.db')])
      expect(file.error).toBeUndefined()
      expect(await told([...words, ...there]), words.join(' ')).toEqual(file)
    }
    for (const [words, code] of [
      [['grep', 'a', '--db', `${shown}?tenant=cli`, '--conversation', '1', '--conversation', '2'], 'invalid_argument'],
      [['grep', 'a', '--db', shown, '--conversation', '1'], 'invalid_argument'],
      [['stats', '--db', `${shown}?tenant=cli`, '--conversation', '999999'], 'not_found'],
    ] as const) {
      expect((await told(words)).error.code, words.join(' ')).toBe(code)
    }
    // The whole tenant comes back as one file.
    const whole = join(folder, 'whole.db')
    expect(await told(['copy', '--from', shown, '--tenant', 'cli', '--to', whole])).toMatchObject({
      conversations: [{ conversationId: conversation, messages: 60, isRenumbered: false }],
    })
    expect((await lcmHere(['integrity', '--db', whole])).code).toBe(0)
    // An agent has it through MCP, and its next call knows what somebody wrote by SQL meanwhile.
    const agent = await connect(there, { env: { ...env, LCM_CACHE_DIR: join(folder, 'cache') } })
    const hits = async () => (await agent.call('lcm_grep', { query: 'heron' })).data.total
    expect(await hits()).toBe(0)
    await db.script(
      "BEGIN; SET LOCAL lcm.tenant = 'cli'; UPDATE lcm.summaries SET content = 'The heron.' WHERE kind = 'leaf'; COMMIT",
    )
    expect(await hits()).toBeGreaterThan(0)
    expect(await agent.call('lcm_grep', { query: 'heron', conversationIds: [999] })).toMatchObject({ isError: true })
    await agent.close()
    // Its ledger is written from there, and compared with it.
    const ledger = join(folder, 'three.jsonl')
    expect(await told(['ledger', 'export', '-o', ledger, ...there])).toMatchObject({ ok: true })
    expect(await told(['ledger', 'verify', ledger, ...there])).toMatchObject({ ok: true, failures: [] })
  })

  it('gets no password from an argument, and none is in what a command says', async () => {
    const { host, port } = server.address
    const inArgument = await lcm(['pg', 'status', `postgres://owner:${PASSWORD}@${host}:${port}/lcm`])
    expect(inArgument.code).toBe(2)
    const wrong = await lcm(['pg', 'status', server.address.shown, '--json'], { env: { PGPASSWORD: `${PASSWORD}x` } })
    expect(wrong.code).toBe(5)
    // Without a password the command ends, too.
    const none = await lcm(['pg', 'status', server.address.shown], { env: { PGPASSWORD: '' } })
    expect(none.code).toBe(5)
    for (const { stdout, stderr } of [inArgument, wrong, none]) expect(stdout + stderr).not.toContain(PASSWORD)
  })

  it('is refused in words when TLS is asked of it and it offers none', async () => {
    const shown = `${server.address.shown}?sslmode=verify-full`
    const ran = await lcm(['pg', 'status', shown], { env })
    expect([ran.code, ran.stderr]).toEqual([5, expect.stringContaining('does not offer TLS')])
  })

  it(`takes ${WRITERS} writers at once, and makes one conversation of each session`, async () => {
    const connections = await Promise.all(Array.from({ length: WRITERS }, () => server.connect()))
    using memory = sampleMemory('shared')
    const sent = await Promise.all(
      connections.map((to) => runToEnd(sendMemory({ from: memory.db, to, tenant: 'many' }, never))),
    )
    expect(new Set(sent.map(({ conversations }) => conversations[0]?.to)).size).toBe(1)
    expect(sent.filter(({ conversations }) => !conversations[0]?.isThere).length).toBe(1)
    await Promise.all(connections.map((to, index) => sendOne(to, 'many', `own ${index}`)))
    await Promise.all(connections.map((one) => one.close()))
    expect(await rowsOf('conversations', 'many')).toBe(WRITERS + 1)
    expect(await rowsOf('messages', 'many')).toBe((WRITERS + 1) * 30)
  })

  it('lets one of many pushers win that change the same row at once', async () => {
    const id = await sendOne(db, 'race', 'race')
    const files = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const path = join(folder, `race-${index}.db`)
        const from = await server.connect()
        await runToEnd(pullConversation({ from, key: { tenant: 'race', conversationId: id }, to: path }, never))
        const file = openNative(path)
        file.run("UPDATE summaries SET content = 'by ' || :index", { index: String(index) })
        file.close()
        return { from, path }
      }),
    )
    const settled = await Promise.allSettled(files.map(({ from, path }) => pushFile(from, path)))
    expect(settled.filter(({ status }) => status === 'fulfilled').length).toBe(1)
    for (const one of settled) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' })
    await Promise.all(files.map(({ from }) => from.close()))
  })

  it('shows a login its own tenants alone', async () => {
    const superuser = await server.connectSuperuser()
    await superuser.script(`${ROLES}
      CREATE ROLE ada LOGIN PASSWORD '${PASSWORD}'; GRANT lcm_inspector TO ada;
      INSERT INTO lcm.tenant_access VALUES ('ada', 'race');`)
    await superuser.close()
    const ada = await connectPostgres({ ...server.address, user: 'ada' }, PASSWORD)
    const key = { tenant: 'many', conversationId: 2 }
    await expect(
      runToEnd(pullConversation({ from: ada, key, to: join(folder, 'not.db') }, never)),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    const seen = await ada.read(null, (query) => query('SELECT DISTINCT tenant_id FROM lcm.conversation_totals'))
    expect(seen).toEqual([{ tenant_id: 'race' }])
    await ada.close()
  })

  it('keeps nothing of a copy whose program was killed, and everything of one that ended', async () => {
    using memory = sampleMemory('killed', 4000)
    const args = ['copy', '--from', memory.path, '--to', server.address.shown, '--tenant', 'killed', '--json']
    // Holds the copy up in the middle of its transaction.
    const holder = await server.connect()
    await holder.script('BEGIN; LOCK TABLE lcm.messages IN SHARE MODE')
    const child = startLcm(args, { env })
    const ran = ended(child)
    await expect.poll(isHeldUp).toBe(true)
    child.kill('SIGKILL')
    await ran
    await holder.close()
    const copied = await lcm(args, { env })
    expect(JSON.parse(copied.stdout).conversations).toMatchObject([{ messages: 4000, isThere: false }])
    expect(await rowsOf('messages', 'killed')).toBe(4000)
  })

  /** True while another connection waits for a table. */
  async function isHeldUp(): Promise<boolean> {
    const rows = await db.read(null, (query) =>
      query(
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'lcm-inspector' AND wait_event_type = 'Lock' AND query ~ 'lcm\\.'",
      ),
    )
    return rows.length > 0
  }

  it('loses nothing that was confirmed when it is killed', async () => {
    const confirmed: string[] = []
    let isKilled = false
    const writing = (async () => {
      const own = await server.connect()
      for (let index = 0; !isKilled; index += 1) {
        try {
          await sendOne(own, 'crash', `session ${index}`)
          confirmed.push(`session ${index}`)
        } catch (error) {
          expect(error).toMatchObject({ code: 'server_unavailable' })
          break
        }
      }
      await own.close()
    })()
    await expect.poll(() => confirmed.length).toBeGreaterThan(3)
    await server.killAndRestart()
    isKilled = true
    await writing
    await db.close()
    db = await server.connect()
    const stored = await db.read('crash', (query) =>
      query<{ session: string; messages: number }>(`
        SELECT c.session_id AS session, count(m.*)::int AS messages FROM lcm.conversations AS c
        LEFT JOIN lcm.messages AS m USING (tenant_id, conversation_id) GROUP BY 1`),
    )
    expect(new Set(stored.map(({ session }) => session))).toEqual(
      new Set([...confirmed, ...stored.map(({ session }) => session)]),
    )
    for (const session of confirmed) expect(stored.find((one) => one.session === session)?.messages).toBe(30)
    for (const { messages } of stored) expect(messages).toBe(30)
  })

  it('has a memory of Volt read from the command line, and never written to', async () => {
    const superuser = await server.connectSuperuser('postgres')
    await superuser.script('CREATE DATABASE volt OWNER owner')
    await superuser.close()
    const shown = server.address.shown.replace(/lcm$/, 'volt')
    const volt = await connectPostgres({ ...server.address, database: 'volt', shown }, PASSWORD)
    const conversation = await volt.write(null, async (query) => {
      const user = await VoltUser.make(query, 'user_ada')
      const id = await user.conversation('ses_1', 'A queue')
      const part = {
        type: 'tool',
        tool_call_id: 'call_1',
        tool_input: '{"path": "a"}',
        tool_output: 'text',
        step_cost: 0.5,
      }
      const ids = [await user.message(id, 'user', 'Why is the queue stuck after the restart of the night?')]
      ids.push(await user.message(id, 'assistant', 'The lease of the worker had not ended.', [part]))
      await user.sprig(id, ids, 'The lease held the queue.')
      await user.message(id, 'user', 'Make it shorter.')
      await user.textFile(id, 'file_0123456789abcdef', 'line\n'.repeat(300_000))
      return id
    })
    await volt.close()
    const fleet = JSON.parse((await lcmHere(['fleet', shown, '--json'], { env })).stdout)
    expect(fleet.conversations).toMatchObject([{ tenant: 'user_ada', label: 'A queue', messages: 3, windowItems: 2 }])
    const path = join(folder, 'volt.db')
    const asked = ['--tenant', 'user_ada', '--conversation', String(conversation), '--db', path, '--json']
    const pulled = JSON.parse((await lcmHere(['pull', shown, ...asked], { env })).stdout)
    expect(pulled).toMatchObject({ messages: 3, summaries: 1, edges: 2, isUpdate: false })
    expect((await lcmHere(['integrity', '--db', path])).code).toBe(0)
    const read = await lcm(['file', 'file_0123456789abcdef', '--db', path, '--lines', '1-2'])
    expect(`${read.stdout}${read.stderr}`).toContain('line')
    const pushed = await lcmHere(['push', shown, '--db', path], { env })
    expect([pushed.code, pushed.stderr]).toEqual([1, expect.stringContaining('Volt')])
    const copied = await lcmHere(['copy', '--from', path, '--to', server.address.shown, '--tenant', 'volt', '--json'], {
      env,
    })
    expect(JSON.parse(copied.stdout)).toMatchObject({ conversations: [{ messages: 3, summaries: 1 }] })
  })

  it('may be down while a replica answers what only reads; nothing is written to that one', async () => {
    const id = await sendOne(db, 'followed', 'followed')
    const replica = await server.startReplica()
    const urls = {
      LCM_DATABASE_URL: server.address.shown,
      LCM_DATABASE_REPLICA_URL: `postgres://owner@127.0.0.1:${replica.port}/lcm`,
      ...env,
    }
    const file = join(folder, 'followed.db')
    const pulling = ['pull', '--tenant', 'followed', '--conversation', String(id), '--db', file, '--json']
    // What is stored later arrives, too.
    const later = await sendOne(db, 'followed', 'stored later')
    const listing = ['fleet', `${server.address.shown}?tenant=followed`, '--json']
    await expect
      .poll(async () => JSON.parse((await lcmHere(listing, { env: urls })).stdout).total, { timeout: 30_000 })
      .toBe(2)
    await db.close()
    await server.kill()
    const answers = await lcmHere(listing, { env: urls })
    expect(
      JSON.parse(answers.stdout).conversations.map((one: { conversationId: number }) => one.conversationId),
    ).toEqual(expect.arrayContaining([id, later]))
    const found = await lcmHere(['find', 'message', '--tenant', 'followed', '--json'], { env: urls })
    expect(found.code).toBe(0)
    expect(JSON.parse((await lcmHere(pulling, { env: urls })).stdout)).toMatchObject({ messages: 30, summaries: 1 })
    const opened = openNative(file)
    expect(readPulledFrom(opened)?.address).toBe(server.address.shown)
    opened.run("UPDATE summaries SET content = 'changed here'", {})
    opened.close()
    const pushed = await lcmHere(['push', '--db', file], { env: urls })
    expect([pushed.code, pushed.stderr]).toEqual([4, expect.stringContaining('cannot be reached')])
  })
})
