import type Database from 'better-sqlite3'
import { translateSqliteError, translating } from './sqlite-error.ts'

const queries = {
  ownChanges: /* sql */ `SELECT total_changes()`,
}

/** A value as SQLite returns it. Canonical columns never hold blobs. */
export type SqlValue = string | number | bigint | null | Uint8Array
/** Named parameters: `:name` in the SQL, `name` here. Numbers are bound as REAL, so the SQL casts them where it matters. */
export type SqlParams = Readonly<Record<string, SqlValue>>

/** A scalar function for SQL. It receives integers as numbers. */
export type SqlFunction = (...args: SqlValue[]) => SqlValue

/**
 * A connection that can only read. The type of a row is asserted in one place, by `T` at the call: it must agree with
 * the SELECT list. Every method throws errors of SQLite as `LcmError` (see `translateSqliteError`).
 */
export interface ReadDb extends Disposable {
  readonly path: string
  /** Returns all rows, for lists with a LIMIT or lists that are known to be small. */
  all<T>(sql: string, params?: SqlParams): T[]
  /** Returns the first row, or undefined. */
  get<T>(sql: string, params?: SqlParams): T | undefined
  /** Returns the first column of the first row, or undefined. */
  value<T extends SqlValue>(sql: string, params?: SqlParams): T | undefined
  /** Returns the first column of all rows. */
  column<T extends SqlValue>(sql: string, params?: SqlParams): T[]
  /** Returns all rows as arrays, for batches with a LIMIT. This is the quickest way through many rows. */
  rows<T extends readonly SqlValue[]>(sql: string, params?: SqlParams): T[]
  /**
   * Returns the rows one by one, for lists that may not fit in memory. Meanwhile the same connection may read, but it
   * may not write.
   */
  iterate<T>(sql: string, params?: SqlParams): IterableIterator<T>
  /**
   * Returns the rows one by one as arrays, for texts and other readings of whole files. It takes twice as long as
   * reading batches, but a third less than `iterate`, and objects that `node:sqlite` makes are larger than arrays.
   */
  iterateRows<T extends readonly SqlValue[]>(sql: string, params?: SqlParams): IterableIterator<T>
  /** As `iterateRows`, with every integer as a `bigint`: beyond 2⁵³ another number would take its place. */
  iterateExact(sql: string, params?: SqlParams): IterableIterator<readonly SqlValue[]>
  /** Returns what the columns of a SELECT are called, without running it. */
  columnNames(sql: string): string[]
  /** This number changes when another connection committed, or we did between two connections. https://www.sqlite.org/pragma.html#pragma_data_version */
  dataVersion(): number
  /** Returns how many rows of the file this connection has written since it was opened. */
  ownChanges(): number
  close(): void
}

/** The calls of a connection that run a query. */
export type ReadCalls = Pick<
  ReadDb,
  'all' | 'get' | 'value' | 'column' | 'rows' | 'iterate' | 'iterateRows' | 'iterateExact' | 'columnNames'
>

/**
 * Makes the calls of a connection that does something around each of them.
 * @param read runs a call
 * @param stepping runs an iteration, from its first row to its end
 */
export const readCalls = (
  read: <T>(call: (db: ReadCalls) => T) => T,
  stepping: <T>(start: (db: ReadCalls) => IterableIterator<T>) => IterableIterator<T>,
): ReadCalls => ({
  all: (sql, params) => read((db) => db.all(sql, params)),
  get: (sql, params) => read((db) => db.get(sql, params)),
  value: (sql, params) => read((db) => db.value(sql, params)),
  column: (sql, params) => read((db) => db.column(sql, params)),
  rows: (sql, params) => read((db) => db.rows(sql, params)),
  iterate: (sql, params) => stepping((db) => db.iterate(sql, params)),
  iterateRows: (sql, params) => stepping((db) => db.iterateRows(sql, params)),
  iterateExact: (sql, params) => stepping((db) => db.iterateExact(sql, params)),
  columnNames: (sql) => read((db) => db.columnNames(sql)),
})

/** Returns the number of changed rows. */
export type BoundStatement = (given: readonly SqlValue[]) => number

/** Who is given a `WriteDb` may write. */
export interface WriteDb extends ReadDb {
  /** Returns the number of changed rows. */
  run(sql: string, params?: SqlParams): number
  /** Runs a statement with `?` in the order of `values`. This is the quickest way to write many rows. */
  runRaw(sql: string, values: readonly SqlValue[]): number
  /**
   * Binds the values of the `?` now, so that a long text is copied before a transaction begins. Values that are known
   * only inside the transaction come later, as `given(0)`, `given(1)` … in the SQL. The texts are kept until the
   * statement is collected as garbage.
   */
  bindAhead(sql: string, values: readonly SqlValue[]): BoundStatement
  /** Runs several statements without parameters, such as a schema or triggers. */
  exec(sql: string): void
  /** Runs `body` between `BEGIN IMMEDIATE` and `COMMIT`. Any error rolls back. Never await inside. */
  transaction<T>(body: () => T): T
}

/** Wraps a better-sqlite3 connection. Statements are prepared once and kept. */
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
  // A statement that iterates is busy. A second use of it at the same time needs a statement of its own.
  const idle = (sql: string): Database.Statement => {
    const statement = prepare(sql)
    return statement.busy ? connection.prepare(sql) : statement
  }
  const idleRaw = (sql: string): Database.Statement => {
    const statement = prepareRaw(sql)
    return statement.busy ? connection.prepare(sql).raw(true) : statement
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

  const close = (): void => {
    statements.clear()
    rawStatements.clear()
    translating(path, () => connection.close())
  }
  return {
    path,
    all: (sql, params = {}) => translating(path, () => idle(sql).all(params)) as never,
    get: (sql, params = {}) => translating(path, () => idle(sql).get(params)) as never,
    value: (sql, params = {}) =>
      translating(path, () => (idleRaw(sql).get(params) as SqlValue[] | undefined)?.[0]) as never,
    column: (sql, params = {}) =>
      translating(path, () => (idleRaw(sql).all(params) as SqlValue[][]).map((row) => row[0])) as never,
    rows: (sql, params = {}) => translating(path, () => idleRaw(sql).all(params)) as never,
    iterate: (sql, params = {}) => stepping(() => idle(sql).iterate(params)) as never,
    iterateRows: (sql, params = {}) => stepping(() => idleRaw(sql).iterate(params)) as never,
    iterateExact: (sql, params = {}) =>
      stepping(() => connection.prepare(sql).raw(true).safeIntegers().iterate(params)) as never,
    columnNames: (sql) =>
      translating(path, () =>
        idleRaw(sql)
          .columns()
          .map(({ name }) => name),
      ),
    dataVersion: () => translating(path, () => (prepareRaw('PRAGMA data_version').get() as [number])[0]),
    ownChanges: () => translating(path, () => (prepareRaw(queries.ownChanges).get() as [number])[0]),
    close,
    [Symbol.dispose]: close,
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
