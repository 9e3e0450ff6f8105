import { readFileSync, writeFileSync } from 'node:fs'
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

/** Milliseconds of processor time. */
export type PullMeasure = {
  /** Of the client, the least of several. */
  readonly pullMs: number
  readonly copyMs: number
  /** Of the server, for taking the messages. Null where the system does not tell. */
  readonly sentMs: number | null
}

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
    const [backend] = await db.script<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid')
    const idleMs = serverMs(backend?.pid)
    const [sent] = (await runToEnd(sendMemory({ from: memory.db, to: db, tenant: TENANT }, never))).conversations
    const busyMs = serverMs(backend?.pid)
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
    const sentMs = busyMs === null || idleMs === null ? null : busyMs - idleMs
    return { pullMs: Math.min(...taken.pull), copyMs: Math.min(...taken.copy), sentMs }
  } finally {
    await server.stop()
  }
}

/** The processor time of a process so far. Linux counts it in hundredths of a second (proc(5), /proc/[pid]/stat). */
function serverMs(pid: number | undefined): number | null {
  if (process.platform !== 'linux' || pid === undefined) return null
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return ((user ?? 0) + (system ?? 0)) * 10
}

if (import.meta.main) console.log(JSON.stringify(await measurePull(Number(process.argv[2] ?? 10_000))))
