// Measures a fleet in PostgreSQL: node test/perf/measure-postgres.ts [tenants] [conversations a tenant] [messages each]
import { join } from 'node:path'
import { FleetQuery } from '../../core/contract/fleet.ts'
import { FLEET_SORTS } from '../../core/contract/lists.ts'
import type { Postgres } from '../../core/postgres/connect.ts'
import { migratePostgres } from '../../core/postgres/migrate.ts'
import { readFleet } from '../../core/remote/fleet.ts'
import { pullConversation } from '../../core/remote/pull.ts'
import { sendMemory } from '../../core/remote/send.ts'
import { TestMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { finish } from '../postgres/finish.ts'
import { installedPostgres, startPostgres } from '../postgres/real-server.ts'

const [tenants = 100, conversations = 100, messages = 100] = process.argv.slice(2).map(Number)
const ROUNDS = 60
const never = new AbortController().signal

const queries = {
  conversations: /* sql */ `
    INSERT INTO lcm.conversations (tenant_id, conversation_id, session_id, importer, title, created_at, updated_at)
    SELECT $1, nextval('lcm.conversation_ids'), 's' || n, 'native', 'Conversation ' || n, 0, 0
    FROM generate_series(1, $2::int) AS n`,
  tenant: /* sql */ `INSERT INTO lcm.tenants (tenant_id) VALUES ($1)`,
  messages: /* sql */ `
    INSERT INTO lcm.messages
      (tenant_id, conversation_id, message_id, seq, role, token_count, created_at, external_id, content_hash, content)
    SELECT c.tenant_id, c.conversation_id, n, n - 1, 'user', 30, n, 'e' || n, '0',
      'Message ' || n || ' of ' || c.conversation_id || ': the lease ' || md5(n::text || c.conversation_id) || ' was renewed in '
        || md5(c.conversation_id::text || n) || ' after a retry.'
    FROM lcm.conversations AS c CROSS JOIN generate_series(1, $2::int) AS n WHERE c.tenant_id = $1`,
  windows: /* sql */ `
    INSERT INTO lcm.context_items (tenant_id, conversation_id, ordinal, item_type, message_id, created_at)
    SELECT tenant_id, conversation_id, seq, 'message', message_id, created_at FROM lcm.messages WHERE tenant_id = $1`,
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

async function times(rounds: number, body: (round: number) => Promise<unknown>): Promise<number[]> {
  const took: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    await body(round)
    took.push(performance.now() - start)
  }
  return took
}

const shown = (name: string, took: readonly number[]): void =>
  console.info(
    `${name}: p50 ${quantile(took, 0.5).toFixed(1)} ms, p95 ${quantile(took, 0.95).toFixed(1)} ms, least ${quantile(took, 0).toFixed(1)} ms`,
  )

async function measure(db: Postgres, name: string, opened: { tenant: string; conversationId: number }): Promise<void> {
  const folder = temporaryFolder()
  const pull = (round: number) =>
    finish(pullConversation({ from: db, key: opened, to: join(folder, `${name}-${round}.db`) }, never))
  await pull(-1)
  shown(`${name}: open one conversation`, await times(ROUNDS, pull))
}

const bin = installedPostgres()
if (bin === null) throw new Error('PostgreSQL is not installed')
const server = await startPostgres(bin)
try {
  const db = await server.connect()
  await migratePostgres(db)
  using memory = new TestMemory()
  const conversation = memory.conversation({ sessionId: 'opened' })
  memory.messages(conversation, messages)
  const [sent] = (await finish(sendMemory({ from: memory.db, to: db, tenant: 'opened' }, never))).conversations
  const opened = { tenant: 'opened', conversationId: sent?.to ?? 0 }
  await measure(db, 'alone', opened)

  const start = performance.now()
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
  const seconds = (performance.now() - start) / 1000
  const rows = tenants * conversations * messages
  console.info(`${rows} messages stored in ${seconds.toFixed(0)} s: ${Math.round(rows / seconds)} a second`)
  await measure(db, 'fleet', opened)
  for (const sort of FLEET_SORTS) {
    const ask = () => readFleet(db, FleetQuery.parse({ sort }), { budgetTokens: 200_000, nowMs: Date.now() })
    shown(`fleet, by ${sort}`, await times(20, ask))
  }
  const [size] = await db.read(null, (query) =>
    query<{ bytes: number }>(`SELECT pg_database_size(current_database()) AS bytes`),
  )
  console.info(`database: ${(Number(size?.bytes) / 1e9).toFixed(2)} GB`)
  await db.close()
} finally {
  await server.stop()
}
