import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migratePostgres } from '#core/remote/postgres/migrate.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { sendMemory } from '#core/remote/send.ts'
import { INDEXES } from '#core/sqlite/ingest-index.ts'
import { openNative } from '#core/sqlite/native.ts'
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
  /** Of SQLite alone, for storing the same rows with their indexes. */
  readonly storeMs: number
  /** Of the server, for taking the messages. Null where the system does not tell. */
  readonly sentMs: number | null
}

const TENANT = 'bench'
const ROUNDS = 4
const TABLES = ['conversations', 'messages', 'message_parts', 'context_items']
const never = new AbortController().signal

const queries = {
  triggers: /* sql */ `SELECT name FROM sqlite_schema WHERE type = 'trigger'`,
  drop: (trigger: string) => /* sql */ `DROP TRIGGER ${trigger}`,
  copy: (table: string) => /* sql */ `INSERT INTO main.${table} SELECT * FROM pulled.${table}`,
  index: (table: string) => /* sql */ `
    INSERT INTO main.${table} (rowid, content, tool_input, tool_output, reasoning)
    SELECT message_id, content, tool_input, tool_output, reasoning FROM main.message_text`,
}

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
    const taken = { pull: [] as number[], copy: [] as number[], store: [] as number[] }
    for (let round = 0; round < ROUNDS; round += 1) {
      const to = join(folder, `${round}.db`)
      taken.pull.push((await timed(() => runToEnd(pullConversation({ from: db, key, to }, never)))).cpuMs)
      taken.copy.push(commandMs('psql', psql, { PGPASSWORD: PASSWORD }) ?? Number.NaN)
      taken.store.push((await timed(() => storeAlone(to, join(folder, `bare-${round}.db`)))).cpuMs)
    }
    await db.close()
    const sentMs = busyMs === null || idleMs === null ? null : busyMs - idleMs
    return {
      pullMs: Math.min(...taken.pull),
      copyMs: Math.min(...taken.copy),
      storeMs: Math.min(...taken.store),
      sentMs,
    }
  } finally {
    await server.stop()
  }
}

/** Copies the rows of a pulled file into a native file, and indexes them. */
function storeAlone(pulled: string, path: string): void {
  using db = openNative(path)
  for (const trigger of db.column<string>(queries.triggers)) db.exec(queries.drop(trigger))
  db.run(/* sql */ 'ATTACH :pulled AS pulled', { pulled })
  db.transaction(() => {
    for (const table of TABLES) db.exec(queries.copy(table))
    for (const table of INDEXES) db.exec(queries.index(table))
  })
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
