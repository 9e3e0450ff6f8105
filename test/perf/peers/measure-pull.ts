import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migratePostgres } from '#core/remote/postgres/migrate.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { sendMemory } from '#core/remote/send.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { installedPostgres, PASSWORD, startPostgres } from '#test/postgres/real-server.ts'
import { rawMemory } from '../raw-memory.ts'
import { timed } from '../statistics.ts'
import { commandMs } from './other-programs.ts'

/** Milliseconds of processor time of the client, the least of several. */
export type PullMeasure = { readonly pullMs: number; readonly copyMs: number }

const TENANT = 'bench'
const ROUNDS = 4
const TABLES = ['conversations', 'messages', 'message_parts', 'context_items']
const never = new AbortController().signal

/** Copies a conversation out of PostgreSQL, and its rows with `psql`, in turn. Null where either is not installed. */
export async function measurePull(messages: number): Promise<PullMeasure | null> {
  const bin = installedPostgres()
  if (bin === null || commandMs('psql', ['--version']) === null) return null
  const server = await startPostgres(bin)
  try {
    const db = await server.connect()
    await migratePostgres(db)
    const memory = rawMemory(messages)
    const [sent] = (await runToEnd(sendMemory({ from: memory.db, to: db, tenant: TENANT }, never))).conversations
    memory.db.close()
    const key = { tenant: TENANT, conversationId: sent?.to ?? 0 }
    const folder = temporaryFolder()
    const script = join(folder, 'copy.sql')
    writeFileSync(
      script,
      TABLES.map(
        (table) =>
          `COPY (SELECT * FROM lcm.${table} WHERE tenant_id = '${TENANT}' AND conversation_id = ${key.conversationId}) TO STDOUT;`,
      ).join('\n'),
    )
    const { host, port, user, database } = server.address
    const psql = ['-X', '-h', host, '-p', String(port), '-U', user, '-d', database, '-f', script]
    const taken = { pull: [] as number[], copy: [] as number[] }
    for (let round = 0; round < ROUNDS; round += 1) {
      const to = join(folder, `${round}.db`)
      taken.pull.push((await timed(() => runToEnd(pullConversation({ from: db, key, to }, never)))).cpuMs)
      taken.copy.push(commandMs('psql', psql, { PGPASSWORD: PASSWORD }) ?? Number.NaN)
    }
    await db.close()
    return { pullMs: Math.min(...taken.pull), copyMs: Math.min(...taken.copy) }
  } finally {
    await server.stop()
  }
}

if (import.meta.main) console.log(JSON.stringify(await measurePull(Number(process.argv[2] ?? 10_000))))
