import type * as NodeSqlite from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { MemoryInfo } from '../contract/memory.ts'
import { LcmError } from '../errors.ts'
import { blockThread } from '../yielding.ts'
import type { ReadDb, SqlFunction, SqlParams, SqlValue } from './read-db.ts'
import { isLogNotReady, translateSqliteError, translating } from './sqlite-error.ts'

/** A read connection that may still be prepared with TEMP views and pragmas before it is handed out as a `ReadDb`. */
export type PreparableDb = ReadDb & {
  exec(sql: string): void
  /** Writes to TEMP tables, the only ones that are written in a foreign file. Returns the number of changed rows. */
  run(sql: string, params?: SqlParams): number
  /** Does the same with `?` in the order of `values`. This is the quickest way to write many rows. */
  runRaw(sql: string, values: readonly SqlValue[]): number
  /** Defines a function for the SQL of this connection. A later one of the same name replaces it. */
  define(name: string, body: SqlFunction): void
}

/** A connection by one of the routes to a file (see `route.ts`). */
export type ReadOnlyConnection = {
  readonly db: PreparableDb
  readonly access: MemoryInfo['access']
  close(): void
}

/** The guarantees by which SQLite changes nothing beside a file that it reads. https://www.sqlite.org/uri.html */
export type UriMode =
  /** For a file without a writer: no locks, no `-wal`, no `-shm`. */
  | 'immutable=1'
  /** For a file that may have a writer: its `-shm` is read and never written. */
  | 'mode=ro&readonly_shm=1'

/** Node's own SQLite, which supports `file:` URIs. Undefined in a runtime without it. */
function nodeSqlite(): typeof NodeSqlite | undefined {
  return process.getBuiltinModule('node:sqlite')
}

export const canOpenUris = (): boolean => nodeSqlite() !== undefined

/** Integers beyond ±2^53 lose their last digits, as with the other driver. */
function narrow(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(narrow)
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, narrow(field)]))
}

/**
 * How often, and at what interval in milliseconds, a reader retries while the header of the log's index is being
 * written.
 */
const LOOKS = 8
const LOOK_MS = 1

/**
 * A writer rewrites the header of its log's index within microseconds. SQLite waits for it with a lock that a read-only
 * connection may not take, and reports at once that the log needs recovery. So the statement is run again.
 * `walIndexReadHdr` in https://www.sqlite.org/src/file/src/wal.c
 */
function whenLogIsReady<T>(body: () => T): T {
  for (let look = 1; ; look += 1) {
    try {
      return body()
    } catch (error) {
      if (!isLogNotReady(error) || look === LOOKS) throw error
      blockThread(LOOK_MS)
    }
  }
}

const isOutOfRange = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE'

/**
 * Opens a file for reading by URI.
 * @throws LcmError what `translateSqliteError` makes of it
 */
export function openByUri(realPath: string, mode: UriMode): PreparableDb {
  const sqlite = nodeSqlite()
  if (!sqlite) throw new Error('this runtime has no node:sqlite')
  const connection = translating(
    realPath,
    () =>
      new sqlite.DatabaseSync(`${pathToFileURL(realPath).href}?${mode}`, {
        // With the other mode the URI makes the file read-only, and only the file: attached databases in memory may be
        // written.
        readOnly: mode === 'immutable=1',
        timeout: 5000,
        // The other driver has this setting by default: no statement, for example of a view in the file, changes
        // definitions.
        defensive: true,
      }),
  )
  return wrapUriConnection(connection, realPath)
}

/** Opens a database in memory that lives as long as the connection, or returns null in a runtime without support. */
export function openMemoryUri(uri: string): { close(): void } | null {
  try {
    const sqlite = nodeSqlite()
    return sqlite ? new sqlite.DatabaseSync(uri) : null
  } catch {
    return null
  }
}

function wrapUriConnection(connection: NodeSqlite.DatabaseSync, path: string): PreparableDb {
  const statements = new Map<string, NodeSqlite.StatementSync>()
  const rawStatements = new Map<string, NodeSqlite.StatementSync>()
  const busy = new Set<NodeSqlite.StatementSync>()

  const prepareNew = (sql: string, raw: boolean): NodeSqlite.StatementSync => {
    const statement = connection.prepare(sql)
    statement.setReturnArrays(raw)
    statement.setAllowUnknownNamedParameters(true)
    return statement
  }
  const prepareExact = (sql: string): NodeSqlite.StatementSync => {
    const statement = prepareNew(sql, true)
    statement.setReadBigInts(true)
    return statement
  }
  const prepare = (sql: string, raw: boolean): NodeSqlite.StatementSync => {
    const kept = raw ? rawStatements : statements
    const known = kept.get(sql)
    if (known && !busy.has(known)) return known
    const statement = prepareNew(sql, raw)
    if (!known) kept.set(sql, statement)
    return statement
  }
  /** Rows are read as plain numbers. If one does not fit, the query is run again with big integers. */
  const query = <T>(sql: string, raw: boolean, run: (statement: NodeSqlite.StatementSync) => T): T =>
    translating(path, () => {
      const statement = prepare(sql, raw)
      try {
        return whenLogIsReady(() => run(statement))
      } catch (error) {
        if (!isOutOfRange(error)) throw error
        statement.setReadBigInts(true)
        try {
          return narrow(run(statement)) as T
        } finally {
          statement.setReadBigInts(false)
        }
      }
    })
  function* stepping(sql: string, params: SqlParams, raw: boolean, exact = false): Generator {
    try {
      const statement = exact ? prepareExact(sql) : prepare(sql, raw)
      busy.add(statement)
      try {
        // Only the first step can report that the log is not ready, because it begins to read.
        const { started, first } = whenLogIsReady(() => {
          const iteration = statement.iterate(params)
          return { started: iteration, first: iteration.next() }
        })
        try {
          if (!first.done) yield first.value
          yield* started
        } finally {
          started.return?.()
        }
      } finally {
        busy.delete(statement)
      }
    } catch (error) {
      if (!isOutOfRange(error)) throw translateSqliteError(error, path)
      throw new LcmError(
        'sqlite_failed',
        `${path} holds a number that is too large to be read.`,
        { path },
        { cause: error },
      )
    }
  }

  const close = (): void => {
    statements.clear()
    rawStatements.clear()
    translating(path, () => connection.close())
  }
  return {
    path,
    all: (sql, params = {}) => query(sql, false, (statement) => statement.all(params)) as never,
    get: (sql, params = {}) => query(sql, false, (statement) => statement.get(params)) as never,
    value: (sql, params = {}) =>
      query(sql, true, (statement) => statement.get(params) as unknown as SqlValue[] | undefined)?.[0] as never,
    column: (sql, params = {}) =>
      query(sql, true, (statement) => statement.all(params) as unknown as SqlValue[][]).map((row) => row[0]) as never,
    rows: (sql, params = {}) => query(sql, true, (statement) => statement.all(params)) as never,
    iterate: (sql, params = {}) => stepping(sql, params, false) as never,
    iterateRows: (sql, params = {}) => stepping(sql, params, true) as never,
    iterateExact: (sql, params = {}) => stepping(sql, params, true, true) as never,
    columnNames: (sql) => query(sql, true, (statement) => statement.columns().map(({ name }) => name)),
    dataVersion: () => query('PRAGMA data_version', true, (statement) => (statement.get() as unknown as [number])[0]),
    ownChanges: () => 0,
    run: (sql, params = {}) => translating(path, () => Number(prepare(sql, false).run(params).changes)),
    runRaw: (sql, values) => translating(path, () => Number(prepare(sql, false).run(...values).changes)),
    define: (name, body) => translating(path, () => connection.function(name, { varargs: true }, body)),
    exec: (sql) => translating(path, () => connection.exec(sql)),
    close,
    [Symbol.dispose]: close,
  }
}
