import type Database from 'better-sqlite3'
import { translateSqliteError, translating } from './sqlite-error.ts'

const queries = {
  ownChanges: /* sql */ `SELECT total_changes()`,
}

/** A value as SQLite gives it. Blobs never occur in canonical columns. */
export type SqlValue = string | number | bigint | null | Uint8Array
/** Named parameters (`:name` in the SQL, without the colon here). Numbers are bound as REAL: CAST where it matters. */
export type SqlParams = Readonly<Record<string, SqlValue>>

/** A scalar function of SQL; integers come as numbers. */
export type SqlFunction = (...args: SqlValue[]) => SqlValue

/**
 * A connection that can only read. `T` at the call is the one place where a row's type is asserted: it must say what
 * the SELECT list says. SQLite's errors leave every method as `LcmError` (see `translateSqliteError`).
 */
export interface ReadDb {
  readonly path: string
  /** All rows. For lists with a LIMIT or known to be small. */
  all<T>(sql: string, params?: SqlParams): T[]
  /** First row, or undefined. */
  get<T>(sql: string, params?: SqlParams): T | undefined
  /** First column of the first row, or undefined. */
  value<T extends SqlValue>(sql: string, params?: SqlParams): T | undefined
  /** First column of all rows. */
  column<T extends SqlValue>(sql: string, params?: SqlParams): T[]
  /** All rows as arrays, for batches with a LIMIT: the quickest way through many rows. */
  rows<T extends readonly SqlValue[]>(sql: string, params?: SqlParams): T[]
  /**
   * Row by row, for texts and for what may be too much to hold; it takes twice as long as reading batches. Reads of the
   * same connection may go on meanwhile; writes may not.
   */
  iterate<T>(sql: string, params?: SqlParams): IterableIterator<T>
  /** Changes whenever another connection (or, between two connections, ours) committed. https://www.sqlite.org/pragma.html#pragma_data_version */
  dataVersion(): number
  /** Rows of the file that this connection has written itself since it was opened. */
  ownChanges(): number
  close(): void
}

/** Returns the number of changed rows. */
export type BoundStatement = (given: readonly SqlValue[]) => number

/** Taking a `WriteDb` is the permission to write. */
export interface WriteDb extends ReadDb {
  /** Returns the number of changed rows. */
  run(sql: string, params?: SqlParams): number
  /** `run` for `?` in the order of `values`; the quickest way to write many rows. */
  runRaw(sql: string, values: readonly SqlValue[]): number
  /**
   * Gives SQLite the values of the `?` now: a long text is copied before a transaction begins. What is only known inside
   * it comes later: `given(0)`, `given(1)` … in the SQL. The texts are held until the statement is collected as garbage.
   */
  bindAhead(sql: string, values: readonly SqlValue[]): BoundStatement
  /** Several statements without parameters (schema, triggers). */
  exec(sql: string): void
  /** One `BEGIN IMMEDIATE` … `COMMIT`; any error rolls back. Never await inside. */
  transaction<T>(body: () => T): T
}

/** Wraps a better-sqlite3 connection; statements are prepared once and kept. */
export function wrapConnection(
  connection: Database.Database,
  path: string,
): WriteDb & { define(name: string, body: SqlFunction): void } {
  const statements = new Map<string, Database.Statement>()
  const rawStatements = new Map<string, Database.Statement>()

  const prepare = (sql: string): Database.Statement => {
    let statement = statements.get(sql)
    if (!statement) {
      statement = connection.prepare(sql)
      statements.set(sql, statement)
    }
    return statement
  }
  const prepareRaw = (sql: string): Database.Statement => {
    let statement = rawStatements.get(sql)
    if (!statement) {
      statement = connection.prepare(sql).raw(true)
      rawStatements.set(sql, statement)
    }
    return statement
  }
  // An iterating statement is busy; a second use of it at the same time needs a statement of its own.
  const idle = (sql: string): Database.Statement => {
    const statement = prepare(sql)
    return statement.busy ? connection.prepare(sql) : statement
  }
  let given: readonly SqlValue[] | null = null
  const defineGiven = (): void => {
    if (given === null) connection.function('given', { directOnly: true }, (index) => given?.[index as number])
    given = []
  }
  function* stepping(start: () => IterableIterator<unknown>): Generator {
    try {
      yield* start()
    } catch (error) {
      throw translateSqliteError(error, path)
    }
  }

  return {
    path,
    all: (sql, params = {}) => translating(path, () => idle(sql).all(params)) as never,
    get: (sql, params = {}) => translating(path, () => idle(sql).get(params)) as never,
    value: (sql, params = {}) =>
      translating(path, () => (prepareRaw(sql).get(params) as SqlValue[] | undefined)?.[0]) as never,
    column: (sql, params = {}) =>
      translating(path, () => (prepareRaw(sql).all(params) as SqlValue[][]).map((row) => row[0])) as never,
    rows: (sql, params = {}) => translating(path, () => prepareRaw(sql).all(params)) as never,
    iterate: (sql, params = {}) => stepping(() => idle(sql).iterate(params)) as never,
    dataVersion: () => translating(path, () => (prepareRaw('PRAGMA data_version').get() as [number])[0]),
    ownChanges: () => translating(path, () => (prepareRaw(queries.ownChanges).get() as [number])[0]),
    close: () => {
      statements.clear()
      rawStatements.clear()
      translating(path, () => connection.close())
    },
    run: (sql, params = {}) => translating(path, () => prepare(sql).run(params).changes),
    runRaw: (sql, values) => translating(path, () => prepare(sql).run(values).changes),
    bindAhead: (sql, values) =>
      translating(path, () => {
        defineGiven()
        const statement = connection.prepare(sql).bind(values)
        return (later) => {
          given = later
          return translating(path, () => statement.run().changes)
        }
      }),
    define: (name, body) => {
      translating(path, () => connection.function(name, { varargs: true }, (...args) => body(...(args as SqlValue[]))))
    },
    exec: (sql) => {
      translating(path, () => connection.exec(sql))
    },
    transaction: (body) => translating(path, () => connection.transaction(body).immediate()),
  }
}
