// Measures PostgreSQL beside SQLite: node test/perf/measure-postgres.ts [tenants] [conversations a tenant] [messages each]
import { join } from 'node:path'
import { FleetQuery } from '#core/contract/fleet.ts'
import { FLEET_SORTS } from '#core/contract/lists.ts'
import { RemoteGrepInput } from '#core/contract/remote.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { RemoteMemory } from '#core/host/remote-memory.ts'
import { openLcm } from '#core/lcm.ts'
import { Machine } from '#core/machine/machine.ts'
import { ConversationsOfTenant } from '#core/remote/conversations-of-tenant.ts'
import { readFleet } from '#core/remote/fleet.ts'
import { connectPostgres, type Postgres } from '#core/remote/postgres/connect.ts'
import { migratePostgres } from '#core/remote/postgres/migrate.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { searchTenant } from '#core/remote/search-tenant.ts'
import { sendMemory } from '#core/remote/send.ts'
import { readSettings } from '#core/settings/settings.ts'
import { runToEnd } from '#core/yielding.ts'
import { hosted, turns } from '../builders/hosted.ts'
import { TestMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { installedPostgres, PASSWORD, type RealServer, startPostgres } from '../postgres/real-server.ts'

const [tenants = 100, conversations = 100, messages = 100] = process.argv.slice(2).map(Number)
const ROUNDS = 60
const SEARCHED = 'tenant 1'
const never = new AbortController().signal

const queries = {
  tenant: /* sql */ `INSERT INTO lcm.tenants (tenant_id) VALUES ($1)`,
  conversations: /* sql */ `
    INSERT INTO lcm.conversations (tenant_id, conversation_id, session_id, importer, title, created_at, updated_at)
    SELECT $1, nextval('lcm.conversation_ids'), 's' || n, 'native', 'Conversation ' || n || ' of ' || $1, 0, 0
    FROM generate_series(1, $2::int) AS n`,
  /** Words of a vocabulary of 3,000, some common and most rare; every hundredth message has three more. */
  messages: /* sql */ `
    INSERT INTO lcm.messages
      (tenant_id, conversation_id, message_id, seq, role, token_count, created_at, external_id, content_hash, content)
    SELECT c.tenant_id, c.conversation_id, n, n - 1, 'user', 30, n, 'e' || n, '0', concat('Message ', n, ': ', (
        SELECT string_agg(translate(left(md5(floor(3000 * power(random(), 3))::text), 7), '0123456789', 'ghijklmnop'), ' ')
        FROM generate_series(1, 16 + 0 * n)
      ), CASE WHEN (n + c.conversation_id) % 100 = 0 THEN ' the retry limit' END)
    FROM lcm.conversations AS c CROSS JOIN generate_series(1, $2::int) AS n WHERE c.tenant_id = $1`,
  windows: /* sql */ `
    INSERT INTO lcm.context_items (tenant_id, conversation_id, ordinal, item_type, message_id, created_at)
    SELECT tenant_id, conversation_id, seq, 'message', message_id, created_at FROM lcm.messages WHERE tenant_id = $1`,
  texts: /* sql */ `SELECT conversation_id AS id, content FROM lcm.messages WHERE tenant_id = $1 ORDER BY 1, seq`,
  size: /* sql */ `SELECT pg_database_size(current_database()) AS bytes`,
}
/** Indexes that are made after the rows of a bulk load are there. */
const TEXT_INDEXES = /* sql */ `
  SELECT indexname AS name, indexdef AS definition FROM pg_catalog.pg_indexes
  WHERE schemaname = 'lcm' AND tablename = 'messages' AND indexdef LIKE '%USING gin%'`

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

const took = async (body: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await body()
  return performance.now() - start
}

const shown = (name: string, times: readonly number[]): void =>
  console.info(
    `${name}: p50 ${quantile(times, 0.5).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms, least ${quantile(times, 0).toFixed(1)} ms`,
  )

/** Stores what an agent says in turns through the calls of an agent, in both stores. */
async function measureIngest(server: RealServer): Promise<void> {
  const batches = Array.from({ length: 100 }, (_, at) => turns(10, at * 10))
  const file = hosted()
  const settings = readSettings({})
  const machine = new Machine({ env: process.env, resourcesDir: '' })
  const open = { settings, cacheDir: temporaryFolder() }
  const remote = new RemoteMemory({
    ...{ agent: 'test', summarizer: 'deterministic' },
    ...{ isAutomatic: false, folder: temporaryFolder(), tokenEstimator: settings.tokenEstimator, now: Date.now },
    conversations: new ConversationsOfTenant({
      ...{ shown: server.address.shown, tenant: 'ingested', objects: null },
      connect: server.connect,
    }),
    openCore: (path) => new Core({ path, open, machine, execute: executeHere(open), isRemembered: false }),
  })
  const [inFile, inPostgres]: [number[], number[]] = [[], []]
  for (const batch of batches) {
    const input = { sessionId: 's', messages: batch }
    inFile.push(await took(() => file.ask('ingest', input)))
    inPostgres.push(await took(() => remote.call('ingest', input, never)))
  }
  await remote.close()
  await file.core.close()
  shown('ingest of 10 messages, SQLite', inFile)
  shown('ingest of 10 messages, PostgreSQL', inPostgres)
}

/** Stores the fleet, with the indexes of texts made at the end. */
async function fill(db: Postgres): Promise<void> {
  const start = performance.now()
  const indexes = await db.read(null, (query) => query<{ name: string; definition: string }>(TEXT_INDEXES))
  await db.script(`SET statement_timeout = 0; SET maintenance_work_mem = '512MB'; SET synchronous_commit = off`)
  for (const { name } of indexes) await db.script(`DROP INDEX lcm.${name}`)
  for (let tenant = 1; tenant <= tenants; tenant += 1) {
    const name = `tenant ${tenant}`
    await db.write(name, async (query) => {
      await query(queries.tenant, [name])
      await query(queries.conversations, [name, conversations])
    })
    await db.write(name, (query) => query(queries.messages, [name, messages]))
    await db.write(name, (query) => query(queries.windows, [name]))
    if (tenant % 10 === 0) console.info(`${tenant} tenants after ${Math.round((performance.now() - start) / 1000)} s`)
  }
  const rows = tenants * conversations * messages
  const seconds = (performance.now() - start) / 1000
  console.info(`${rows} messages stored in ${seconds.toFixed(0)} s: ${Math.round(rows / seconds)} a second`)
  for (const { definition } of indexes) {
    const ms = await took(() => db.script(definition.replace(' ON ONLY ', ' ON ')))
    console.info(`${definition.slice(0, 80)} in ${(ms / 1000).toFixed(0)} s`)
  }
  await db.script('ANALYZE')
  await db.script('SET statement_timeout = 60000; SET synchronous_commit = on')
}

/** Opens the same conversation alone and among all others in turn, so that what else the machine does is in both. */
async function measureOpening(of: Readonly<Record<'alone' | 'fleet', { db: Postgres; id: number }>>): Promise<void> {
  const folder = temporaryFolder()
  const times = { alone: [] as number[], fleet: [] as number[] }
  for (let round = -3; round < ROUNDS; round += 1) {
    for (const name of ['alone', 'fleet'] as const) {
      const { db, id } = of[name]
      const to = join(folder, `${name}-${round}.db`)
      const ms = await took(() =>
        runToEnd(pullConversation({ from: db, key: { tenant: 'opened', conversationId: id }, to }, never)),
      )
      if (round >= 0) times[name].push(ms)
    }
  }
  for (const name of ['alone', 'fleet'] as const) shown(`open one conversation, ${name}`, times[name])
  console.info(`p95 among all : p95 alone = ${(quantile(times.fleet, 0.95) / quantile(times.alone, 0.95)).toFixed(2)}`)
}

const SEARCHES: readonly (readonly [name: string, asked: Partial<RemoteGrepInput>])[] = [
  ['words', { query: 'retry limit', match: 'all' }],
  ['a question', { query: 'What is the retry limit?', match: 'question' }],
  ['characters', { query: 'retry lim', mode: 'literal' }],
  ['a pattern', { query: 'retry\\s+l[aeiou]mit', mode: 'regex' }],
  ['what is not there', { query: 'nowhere at all', mode: 'literal' }],
]

/** The texts of one tenant in a file, and among all others. */
async function measureSearch(db: Postgres): Promise<void> {
  const texts = await db.read(SEARCHED, (query) => query<{ id: number; content: string }>(queries.texts, [SEARCHED]))
  using memory = new TestMemory()
  for (const [id, some] of Map.groupBy(texts, (text) => Number(text.id))) {
    memory.messages(
      memory.conversation({ sessionId: String(id) }),
      some.map(({ content }) => ({ content })),
    )
  }
  using lcm = await openLcm(memory.path, { readOnly: true })
  for (const [name, asked] of SEARCHES) {
    const [inFile, inPostgres]: [number[], number[]] = [[], []]
    const found = { file: 0, postgres: 0 }
    for (let round = 0; round < 20; round += 1) {
      const input = { ...RemoteGrepInput.parse(asked), limit: 50 }
      inFile.push(
        await took(async () => {
          found.file = (await lcm.retrieval.grep(GrepInput.parse(input), never)).hits.length
        }),
      )
      inPostgres.push(
        await took(async () => {
          found.postgres = (await searchTenant(db, { ...input, tenant: SEARCHED }, never)).hits.length
        }),
      )
    }
    shown(`search for ${name}, SQLite (${found.file} hits)`, inFile)
    shown(`search for ${name}, PostgreSQL (${found.postgres} hits)`, inPostgres)
  }
}

const bin = installedPostgres()
if (bin === null) throw new Error('PostgreSQL is not installed')
const server = await startPostgres(bin)
try {
  const superuser = await server.connectSuperuser()
  await superuser.script('CREATE DATABASE alone OWNER owner')
  await superuser.close()
  const db = await server.connect()
  const alone = await connectPostgres({ ...server.address, database: 'alone' }, PASSWORD)
  using memory = new TestMemory()
  memory.messages(memory.conversation({ sessionId: 'opened' }), messages)
  const send = async (to: Postgres) => {
    await migratePostgres(to)
    const [sent] = (await runToEnd(sendMemory({ from: memory.db, to, tenant: 'opened' }, never))).conversations
    return { db: to, id: sent?.to ?? 0 }
  }
  const opened = { alone: await send(alone), fleet: await send(db) }
  await measureIngest(server)
  await fill(db)
  await measureOpening(opened)
  await measureSearch(db)
  for (const sort of FLEET_SORTS) {
    const asked = FleetQuery.parse({ sort })
    const times: number[] = []
    for (let round = 0; round < 20; round += 1) {
      times.push(await took(() => readFleet(db, asked, { budgetTokens: 200_000, nowMs: Date.now() })))
    }
    shown(`fleet, by ${sort}`, times)
  }
  const text = FleetQuery.parse({ text: 'Conversation 77 of tenant 7' })
  shown('fleet, by text', [await took(() => readFleet(db, text, { budgetTokens: 200_000, nowMs: Date.now() }))])
  const [size] = await db.read(null, (query) => query<{ bytes: number }>(queries.size))
  console.info(`database: ${(Number(size?.bytes) / 1e9).toFixed(2)} GB`)
  await alone.close()
  await db.close()
} finally {
  await server.stop()
}
