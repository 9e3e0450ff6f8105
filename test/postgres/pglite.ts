import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { overWire, type Postgres } from '#core/remote/postgres/connect.ts'
import { migratePostgres } from '#core/remote/postgres/migrate.ts'

/** Partitions cost time when tables are made; two show that rows go to different ones. */
export const PARTITIONS = 2

export type InProcess = {
  readonly db: Postgres
  readonly engine: PGlite
  /** A connection of many: their transactions wait for each other. */
  readonly connect: () => Postgres
  readonly close: () => Promise<void>
}

const extensions = { pg_trgm }
let dataWithTables: File | Blob | null = null

/**
 * PostgreSQL inside this process, with the tables. The first takes a second or two. Later ones begin with a copy of its
 * data, which takes a third of that, so a test file still makes one.
 */
export async function inProcess({ migrated = true } = {}): Promise<InProcess> {
  const loadDataDir = migrated ? dataWithTables : null
  const engine = await PGlite.create({ extensions, ...(loadDataDir !== null && { loadDataDir }) })
  const db = overWire(
    {
      query: (sql, values) => engine.query(sql, values),
      exec: (sql) => engine.exec(sql),
      close: async () => undefined,
    },
    'postgres://postgres@localhost:5432/test',
  )
  if (migrated && loadDataDir === null) {
    await migratePostgres(db, PARTITIONS)
    dataWithTables = await engine.dumpDataDir('none')
  }
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work)
    last = run.catch(() => undefined)
    return run
  }
  const connect = (): Postgres => ({
    ...db,
    read: (...given) => inTurn(() => db.read(...given)),
    write: (...given) => inTurn(() => db.write(...given)),
    script: <T>(sql: string) => inTurn(() => db.script<T>(sql)),
  })
  return { db, engine, connect, close: () => engine.close() }
}
