import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FleetQuery } from '#core/contract/fleet.ts'
import { checkConversations, readFleet } from '#core/remote/fleet.ts'
import { overWire, type Postgres, type Query } from '#core/remote/postgres/connect.ts'
import { migratePostgres, POSTGRES_VERSION, schemaVersion } from '#core/remote/postgres/migrate.ts'
import { PARTITIONED_TABLES, ROLES } from '#core/remote/postgres/schema.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { pushFile } from '#core/remote/push.ts'
import { sendMemory } from '#core/remote/send.ts'
import { workOnce } from '#core/remote/worker.ts'
import { TABLES } from '#core/tables.ts'
import { runToEnd } from '#core/yielding.ts'
import { TestMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { type InProcess, inProcess, PARTITIONS } from './pglite.ts'

const never = new AbortController().signal
let server: InProcess
let done: readonly { readonly from: number; readonly to: number }[] = []
/** The only conversation of each of two tenants. */
const ids: Record<string, number> = {}

beforeAll(async () => {
  server = await inProcess({ migrated: false })
  done = await Promise.all([1, 2, 3, 4].map(() => migratePostgres(server.connect(), PARTITIONS)))
  await server.engine.exec(ROLES)
  // As for another database of the same server.
  await server.engine.exec(ROLES)
  await server.engine.exec(`
    CREATE ROLE service LOGIN; GRANT lcm_writer TO service;
    CREATE ROLE worker LOGIN; GRANT lcm_worker TO worker;
    CREATE ROLE ada LOGIN; GRANT lcm_inspector TO ada;
    CREATE ROLE stranger LOGIN; GRANT lcm_inspector TO stranger;
    INSERT INTO lcm.tenant_access VALUES ('service', '*'), ('worker', '*'), ('ada', 'a');`)
  for (const tenant of ['a', 'b']) {
    using memory = new TestMemory()
    const conversation = memory.conversation({ sessionId: 'one' })
    const messages = memory.messages(conversation, 12)
    memory.leaf(conversation, messages.slice(0, 4), { content: `what ${tenant} said` })
    const sent = await runToEnd(sendMemory({ from: memory.db, to: server.db, tenant }, never))
    ids[tenant] = sent.conversations[0]?.to ?? 0
  }
})
afterAll(() => server.close())

it('has the server count the messages of the first copy, so that it looks no part up among all messages', async () => {
  const { rows } = await server.engine.query<{ readonly counted: number }>(`
    SELECT max(c.reltuples) AS counted FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'lcm.messages'::regclass`)
  expect(Number(rows[0]?.counted)).toBeGreaterThanOrEqual(12)
})

/** Runs statements as another role, with the tenant that it claims to be. Nothing of it stays. */
async function as<T>(role: string, tenant: string | null, body: (query: Query) => Promise<T>): Promise<T> {
  const undone = new Error('undone')
  let result: T | undefined
  try {
    await server.db.write(tenant, async (query) => {
      await query(`SET LOCAL ROLE ${role}`)
      result = await body(query)
      throw undone
    })
  } catch (error) {
    if (error !== undone) throw error
  }
  return result as T
}

const countOf = async (query: Query, table: string): Promise<number> =>
  (await query<{ n: number }>(`SELECT count(*)::int AS n FROM lcm.${table}`))[0]?.n ?? -1

describe('migrations', () => {
  it('make every partitioned table with keys that begin with tenant and conversation', async () => {
    const keys = await server.db.read(null, (query) =>
      query<{ name: string; columns: string }>(`
        SELECT c.relname AS name, string_agg(a.attname, ',' ORDER BY k.n) AS columns
        FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
        JOIN pg_namespace AS s ON s.oid = c.relnamespace AND s.nspname = 'lcm'
        CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum
        WHERE i.indisunique AND c.relkind = 'p' GROUP BY c.relname, i.indexrelid`),
    )
    expect(new Set(keys.map(({ name }) => name))).toEqual(new Set([...PARTITIONED_TABLES, 'tool_texts']))
    for (const { name, columns } of keys) expect(columns, name).toMatch(/^tenant_id,conversation_id/)
  })

  it.each(TABLES)('give $name each column of its description, with its type', async ({ name, columns }) => {
    const there = await server.db.read(null, (query) =>
      query<{ name: string; type: string }>(`
        SELECT column_name AS name, data_type AS type FROM information_schema.columns
        WHERE table_schema = 'lcm' AND table_name = '${name}'`),
    )
    for (const column of columns) expect(there).toContainEqual({ name: column.name, type: column.type })
  })

  it('do nothing the second time', async () => {
    expect(await migratePostgres(server.db)).toEqual({ from: POSTGRES_VERSION, to: POSTGRES_VERSION })
    expect(await schemaVersion(server.db)).toBe(POSTGRES_VERSION)
  })

  it('are claimed by the one of four programs that made them, and by no other', () => {
    expect(done.map(({ to }) => to)).toEqual([1, 2, 3, 4].map(() => POSTGRES_VERSION))
    expect(done.map(({ from }) => from).sort()).toEqual([0, ...[1, 2, 3].map(() => POSTGRES_VERSION)])
  })

  it('keep the number of partitions, and are refused when another one is asked for', async () => {
    expect(await migratePostgres(server.db, 2)).toEqual({ from: POSTGRES_VERSION, to: POSTGRES_VERSION })
    const other = migratePostgres(server.db, 256)
    await expect(other).rejects.toMatchObject({ code: 'invalid_argument', details: { partitions: 2 } })
  })

  it('are refused for tables of a newer version', async () => {
    await server.engine.exec('INSERT INTO lcm.schema_version (version) VALUES (99)')
    await expect(migratePostgres(server.db)).rejects.toMatchObject({ code: 'newer_version' })
    await server.engine.exec('DELETE FROM lcm.schema_version WHERE version = 99')
  })
})

describe('canonical rows', () => {
  it.each([
    "UPDATE lcm.messages SET content = 'other'",
    'UPDATE lcm.messages SET seq = seq + 100',
    "UPDATE lcm.messages SET exact_texts = '{}'",
    'DELETE FROM lcm.messages',
    'TRUNCATE lcm.messages CASCADE',
    "UPDATE lcm.message_parts SET text_content = 'other'",
    'DELETE FROM lcm.message_parts',
    'TRUNCATE lcm.message_parts',
  ])('are never changed or deleted, not even by their owner: %s', async (sql) => {
    await expect(server.db.write('a', (query) => query(sql))).rejects.toMatchObject({ code: 'conflict' })
  })

  it('may be counted again', async () => {
    const tokens = await as('service', 'a', async (query) => {
      await query('UPDATE lcm.messages SET token_count = token_count + 1')
      return query(
        'SELECT message_tokens - (SELECT sum(token_count) FROM lcm.messages) AS off FROM lcm.conversation_totals WHERE tenant_id = $1',
        ['a'],
      )
    })
    expect(tokens).toEqual([{ off: '0' }])
  })
})

describe('writes to a conversation', () => {
  it.each([
    "UPDATE lcm.summaries SET content = content || ' and more'",
    'DELETE FROM lcm.summary_messages',
    'DELETE FROM lcm.context_items',
    'UPDATE lcm.messages SET token_count = token_count + 1',
    "UPDATE lcm.conversations SET title = 'another'",
    `INSERT INTO lcm.large_files (tenant_id, conversation_id, file_id, storage_uri, created_at)
      SELECT tenant_id, conversation_id, 'file_1', 'there', 1 FROM lcm.conversations`,
  ])('are counted once where others make them, and by this program itself: %s', async (statement) => {
    const changes = async () => (await server.engine.query('SELECT changes FROM lcm.conversations ORDER BY 1')).rows
    const before = await changes()
    const counted = async (countsItself: string) => {
      await server.engine.exec(`BEGIN; SELECT set_config('lcm.counts_writes', '${countsItself}', true); ${statement}`)
      const now = await changes()
      await server.engine.exec('ROLLBACK')
      return now
    }
    expect(await counted('')).toEqual(before.map((row) => ({ changes: (row as { changes: number }).changes + 1 })))
    expect(await counted('on')).toEqual(before)
  })
})

describe('totals of a conversation', () => {
  it('are what its rows say, also after rows of its window were removed', async () => {
    await as('worker', 'a', async (query) => {
      await query("DELETE FROM lcm.context_items WHERE item_type = 'message' AND ordinal > 8")
      const [off] = await query(`
        SELECT t.messages - (SELECT count(*) FROM lcm.messages) AS messages,
          t.summaries - (SELECT count(*) FROM lcm.summaries) AS summaries,
          t.window_items - (SELECT count(*) FROM lcm.context_items) AS items,
          t.window_tokens - (SELECT sum(coalesce(m.token_count, s.token_count)) FROM lcm.context_items AS i
            LEFT JOIN lcm.messages AS m USING (tenant_id, conversation_id, message_id)
            LEFT JOIN lcm.summaries AS s USING (tenant_id, conversation_id, summary_id)) AS tokens
        FROM lcm.conversation_totals AS t WHERE t.tenant_id = 'a'`)
      expect(off).toEqual({ messages: 0, summaries: 0, items: 0, tokens: '0' })
    })
  })
})

describe('isolation of tenants', () => {
  it.each(PARTITIONED_TABLES.filter((table) => table !== 'conversation_totals'))(
    'shows rows of %s of the own tenant alone, whatever tenant is claimed',
    async (table) => {
      const own = await as('ada', 'a', (query) => countOf(query, table))
      const both = await as('service', 'b', (query) => countOf(query, table))
      expect(own).toBe(both)
      for (const claimed of ['b', '*', '', "a' OR '1'='1", null]) {
        expect(await as('ada', claimed, (query) => countOf(query, table)), String(claimed)).toBe(0)
      }
      for (const claimed of ['a', 'b', '*'])
        expect(await as('stranger', claimed, (query) => countOf(query, table))).toBe(0)
    },
  )

  it('shows totals, tenants and sessions of granted tenants alone', async () => {
    expect(await as('ada', 'b', (query) => countOf(query, 'conversation_totals'))).toBe(1)
    expect(await as('ada', 'b', (query) => countOf(query, 'tenants'))).toBe(1)
    expect(await as('ada', 'b', (query) => countOf(query, 'sessions'))).toBe(0)
    expect(await as('stranger', 'b', (query) => countOf(query, 'conversation_totals'))).toBe(0)
    expect(await as('service', null, (query) => countOf(query, 'conversation_totals'))).toBe(2)
  })

  it.each([
    'SELECT * FROM lcm.messages_0',
    "INSERT INTO lcm.tenant_access VALUES ('ada', '*')",
    'ALTER TABLE lcm.messages DISABLE ROW LEVEL SECURITY',
    'DROP POLICY tenant ON lcm.messages',
    'DELETE FROM lcm.context_items',
    'UPDATE lcm.messages SET token_count = 0',
  ])('cannot be gone round by an inspector: %s', async (sql) => {
    await expect(as('ada', 'a', (query) => query(sql))).rejects.toMatchObject({ code: 'server_refused' })
  })

  it('refuses rows of another tenant from a writer', async () => {
    const insert = (tenant: string) => (query: Query) =>
      query(
        "INSERT INTO lcm.context_items (tenant_id, conversation_id, ordinal, item_type, message_id, created_at) VALUES ($1, $2, 900, 'message', 1, 0)",
        [tenant, ids[tenant]],
      )
    await as('service', 'a', insert('a'))
    await expect(as('service', 'a', insert('b'))).rejects.toMatchObject({ code: 'server_refused' })
  })

  it('lets a worker neither make conversations nor write messages', async () => {
    for (const table of ['conversations', 'messages', 'sessions', 'tenants']) {
      const copy = `INSERT INTO lcm.${table} SELECT * FROM lcm.${table}`
      await expect(
        as('worker', 'a', (query) => query(copy)),
        table,
      ).rejects.toMatchObject({ code: 'server_refused' })
    }
  })
})

/** What a login may be refused, and the roles that it is granted one after another until it may. */
const ACTS: Readonly<Record<string, readonly [act: (db: Postgres) => Promise<unknown>, roles: readonly string[]]>> = {
  'reads all conversations': [
    (db) => readFleet(db, FleetQuery.parse({}), { budgetTokens: 1000, nowMs: 0 }),
    ['lcm_inspector'],
  ],
  'pulls a conversation': [(db) => pulled(db), ['lcm_inspector']],
  'pushes a summary': [
    (db) => changed(db, ({ db: file }) => void file.run("UPDATE summaries SET content = 'rewritten'")),
    ['lcm_inspector', 'lcm_worker'],
  ],
  'pushes messages': [
    (db) => changed(db, (memory) => void memory.messages(ids.a ?? 0, 2)),
    ['lcm_inspector', 'lcm_writer'],
  ],
  'checks conversations': [
    (db) => runToEnd(checkConversations({ from: db, limit: 1, tenant: 'a', scan: async () => 0, now: () => 1 }, never)),
    ['lcm_inspector', 'lcm_worker'],
  ],
  'compacts windows': [
    (db) =>
      workOnce(
        {
          ...{ db, worker: 'w', tenant: 'a', minWindowTokens: 0, now: () => 1, every: () => () => undefined },
          compact: async () => 0,
        },
        never,
      ),
    ['lcm_worker'],
  ],
  'copies a memory into a new tenant': [
    async (db) => {
      using memory = new TestMemory()
      memory.messages(memory.conversation({ sessionId: 'one' }), 2)
      await runToEnd(sendMemory({ from: memory.db, to: db, tenant: "c's" }, never))
    },
    ['lcm_inspector', 'lcm_writer', "VALUES ('%', 'c''s')"],
  ],
}

async function pulled(from: Postgres): Promise<string> {
  const to = join(temporaryFolder(), 'pulled.db')
  await runToEnd(pullConversation({ from, key: { tenant: 'a', conversationId: ids.a ?? 0 }, to }, never))
  return to
}

/** Pushes what was changed in a file that somebody else pulled. */
async function changed(to: Postgres, change: (memory: TestMemory) => void): Promise<void> {
  await server.engine.exec('RESET ROLE')
  const memory = new TestMemory(await pulled(server.db))
  await server.engine.exec(`SET ROLE "${new URL(to.shown).username}"`)
  change(memory)
  memory.db.close()
  await pushFile(to, memory.path)
}

describe('a refusal', () => {
  it.each(Object.entries(ACTS))(
    'names the statements that allow what was refused to a login that %s',
    async (name, [act, expected]) => {
      const login = `who${name.replaceAll(' ', '-')}`
      const wire = {
        query: (sql: string, values?: unknown[]) => server.engine.query(sql, values),
        exec: (sql: string) => server.engine.exec(sql),
        close: async () => undefined,
      }
      const db = overWire(wire, `postgres://${login}@localhost:5432/test`)
      await server.engine.exec(`CREATE ROLE "${login}"; INSERT INTO lcm.tenant_access VALUES ('${login}', 'a')`)
      const granted: string[] = []
      for (let isDone = false; !isDone; ) {
        await server.engine.exec(`SET ROLE "${login}"`)
        const refused = await act(db).then(
          () => null,
          (error: unknown) => error,
        )
        await server.engine.exec('RESET ROLE')
        isDone = refused === null
        if (isDone) break
        expect(refused).toMatchObject({ code: 'server_refused' })
        const [statement = ''] = /(GRANT|INSERT INTO lcm\.tenant_access) .*?;/.exec(String(refused)) ?? []
        // It would be refused in the same way for ever.
        expect(granted).not.toContain(statement)
        granted.push(statement)
        await server.engine.exec(statement)
      }
      const short = (statement: string): string =>
        (/lcm_\w+|VALUES.*(?=;)/.exec(statement.replace('lcm.tenant', '')) ?? [])[0] ?? ''
      expect(granted.map(short)).toEqual(expected.map((one) => one.replace('%', login)))
    },
  )
})
