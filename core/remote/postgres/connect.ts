import pg from 'pg'
import type { DatabaseAddress } from '#core/database-address.ts'
import { COUNTS_ITSELF } from './counted-writes.ts'
import { translatePostgresError } from './postgres-error.ts'

/** What the driver, or PostgreSQL inside this process, is asked for. */
export type Wire = {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>
  /** Runs several statements without values. */
  exec(sql: string): Promise<unknown>
  close(): Promise<void>
}

/** Returns the rows. The type of a row is asserted here, as on the edge to SQLite: it must agree with the SELECT list. */
export type Query = <T = Record<string, unknown>>(sql: string, values?: readonly unknown[]) => Promise<T[]>

/** A connection to PostgreSQL. It runs one transaction after another. */
export type Postgres = {
  /** The address without a password. */
  readonly shown: string
  /** One state of the database, for reading. `limitMs` ends each statement earlier than usual. */
  read<T>(tenant: string | null, body: (query: Query) => Promise<T>, limitMs?: number): Promise<T>
  /** A transaction that is committed when `body` returns and rolled back when it throws. */
  write<T>(tenant: string | null, body: (query: Query) => Promise<T>): Promise<T>
  /** For how long a statement has waited for its answer; 0 while none does. */
  waitsMs(): number
  /** Several statements in one transaction, for migrations. Returns the rows of the last one that has a result. */
  script<T = unknown>(sql: string): Promise<T[]>
  close(): Promise<void>
}

const queries = {
  tenant: /* sql */ `SELECT set_config('lcm.tenant', $1, true), set_config('${COUNTS_ITSELF}', 'on', true)`,
  limit: /* sql */ `SELECT set_config('statement_timeout', $1, true)`,
}

/** Statements that look at what many conversations have in common end earlier than those that copy one. */
export const LOOKING_MS = 15_000
const LIMITS = { statementMs: 60_000, lockMs: 10_000, connectMs: 10_000, idleMs: 120_000 }
/** The server ends a statement before. After this time it does not answer at all. */
const SILENT_MS = LIMITS.statementMs + 15_000
/** A server that does not close its end of a connection by now never does. */
const GOODBYE_MS = 2000
const INT8 = 20

type Patience = {
  /** A statement without an answer is given up after this time. */
  readonly silentMs?: number
  /** When it aborts, the connection is cut at once, and what was under way fails. */
  readonly signal?: AbortSignal
}

/**
 * Connects with the driver.
 * @throws LcmError server_unavailable, server_refused
 */
export async function connectPostgres(
  address: DatabaseAddress,
  password: string | null,
  { silentMs = SILENT_MS, signal }: Patience = {},
): Promise<Postgres> {
  const client = new pg.Client({
    host: address.host,
    port: address.port,
    database: address.database,
    user: address.user,
    ...(password === null ? {} : { password }),
    ssl: address.tls === 'verify' ? { rejectUnauthorized: true } : false,
    application_name: 'lcm-inspector',
    connectionTimeoutMillis: LIMITS.connectMs,
    keepAlive: true,
    statement_timeout: LIMITS.statementMs,
    lock_timeout: LIMITS.lockMs,
    idle_in_transaction_session_timeout: LIMITS.idleMs,
    types: {
      // Numbers that JavaScript cannot hold exactly are not written either.
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // Without a listener a connection that ends between two statements would end the process.
  client.on('error', () => undefined)
  const cut = (): void => void client.connection.stream.destroy()
  signal?.addEventListener('abort', cut, { once: true })
  try {
    const connected = client.connect()
    if (signal?.aborted) cut()
    await connected
  } catch (error) {
    signal?.removeEventListener('abort', cut)
    // A login that failed leaves the socket open, and the process would not end.
    client.end().catch(() => undefined)
    throw translatePostgresError(error, address.shown)
  }
  return overWire(
    {
      query: async (text, values) => {
        try {
          // The driver's types do not know of a time limit for one statement.
          return await client.query({ text, values, query_timeout: silentMs } as pg.QueryConfig)
        } catch (error) {
          // Whatever is asked next would wait as long.
          if (error instanceof Error && error.message === 'Query read timeout') void client.end().catch(() => undefined)
          throw error
        }
      },
      exec: (sql) => client.query(sql),
      close: async () => {
        signal?.removeEventListener('abort', cut)
        const late = setTimeout(cut, GOODBYE_MS)
        await client.end().finally(() => clearTimeout(late))
      },
    },
    address.shown,
  )
}

/** Wraps a driver. */
export function overWire(wire: Wire, shown: string): Postgres {
  let isBusy = false
  let askedAtMs: number | null = null
  let ofTenant: string | null = null
  const asked = async <T>(sql: string, ask: () => Promise<T>): Promise<T> => {
    askedAtMs = performance.now()
    try {
      return await ask()
    } catch (error) {
      throw translatePostgresError(error, shown, { sql, tenant: ofTenant })
    } finally {
      askedAtMs = null
    }
  }
  const query: Query = async (sql, values) =>
    (await asked(sql, () => wire.query(sql, values === undefined ? undefined : [...values]))).rows as never
  const within = async <T>(
    begin: string,
    tenant: string | null,
    body: (query: Query) => Promise<T>,
    limitMs?: number,
  ): Promise<T> => {
    if (isBusy) throw new Error('a connection runs one transaction at a time')
    isBusy = true
    ofTenant = tenant
    try {
      await query(begin)
      if (tenant !== null) await query(queries.tenant, [tenant])
      if (limitMs !== undefined) await query(queries.limit, [String(limitMs)])
      const result = await body(query)
      await query('COMMIT')
      return result
    } catch (error) {
      // When the connection is gone, the server rolls back by itself; the first error says what happened.
      await query('ROLLBACK').catch(() => undefined)
      throw error
    } finally {
      isBusy = false
    }
  }
  return {
    shown,
    read: (tenant, body, limitMs) => within('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', tenant, body, limitMs),
    waitsMs: () => (askedAtMs === null ? 0 : performance.now() - askedAtMs),
    write: (tenant, body) => within('BEGIN ISOLATION LEVEL READ COMMITTED', tenant, body),
    script: async <T>(sql: string): Promise<T[]> => {
      try {
        return lastRows(await asked(sql, () => wire.exec(sql))) as T[]
      } catch (error) {
        await wire.exec('ROLLBACK').catch(() => undefined)
        throw error
      }
    },
    close: async () => {
      // A connection that the server has ended already is closed all the same.
      await wire.close().catch(() => undefined)
    },
  }
}

/** Several statements have a result each. One that returns no rows has no columns. */
function lastRows(answer: unknown): readonly unknown[] {
  type Result = { readonly rows?: readonly unknown[]; readonly fields?: readonly unknown[] }
  const results = (Array.isArray(answer) ? answer : [answer]) as readonly Result[]
  return results.findLast(({ fields = [] }) => fields.length > 0)?.rows ?? []
}
