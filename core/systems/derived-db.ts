import { fileStamp } from '../sqlite/file-stamp.ts'
import type { KeptTables } from '../sqlite/kept-tables.ts'
import type { SqlParams } from '../sqlite/read-db.ts'
import type { PreparableDb } from '../sqlite/uri-db.ts'
import { withoutYielding } from '../yielding.ts'

/** What is computed from a foreign file into TEMP tables, because its system does not store it as rows. */
export type Derivation = {
  /** Makes the TEMP tables, or brings them in step with what the file holds now, a piece at a time. */
  readonly build: (db: PreparableDb) => Generator<void>
  /** Absolute paths of other files that it reads: when one of them changes, the tables are made anew. */
  readonly companions: readonly string[]
  /** Nobody can change the database while it is open. */
  readonly isStill: boolean
  /** Where the tables are between two connections, and whether the file is still as it was when they were put there. */
  readonly kept?: { readonly tables: KeptTables; readonly isUnchanged: () => boolean }
}

export type DerivedDb = PreparableDb & {
  /** Puts the tables where the next connection finds them. */
  keep(): void
}

/**
 * A read connection whose derived TEMP tables always belong to the state of the file that is read: every read, and
 * every iteration from its first row to its end, runs in one transaction, at whose start the tables are made anew when
 * the file has changed since. Only then may the connection write, and only to its own TEMP tables. They are made a piece
 * at a time at first, in one transaction all the same; later in one go, since somebody waits for the answer.
 * @throws LcmError what `build` throws, at first and from any read
 */
export function* keepingDerived(db: PreparableDb, derivation: Derivation): Generator<void, DerivedDb> {
  const { companions, kept } = derivation
  const stamp = (): string => companions.map(fileStamp).join(' ')
  let seenStamp = stamp()
  let companionChanges = 0
  const version = (): number => {
    const now = companions.length === 0 ? '' : stamp()
    if (now !== seenStamp) {
      seenStamp = now
      companionChanges += 1
    }
    return db.dataVersion() + companionChanges
  }

  let builtVersion: number | null = null
  let reading = 0
  function* refreshing(): Generator<void> {
    // Inside the transaction: the version of what this transaction sees.
    const current = version()
    if (current === builtVersion) return
    db.exec('PRAGMA query_only = OFF')
    try {
      yield* derivation.build(kept ? kept.tables.remembering(db) : db)
      builtVersion = current
    } finally {
      db.exec('PRAGMA query_only = ON')
    }
  }
  function* entering(): Generator<void> {
    reading += 1
    if (reading > 1) return
    try {
      db.exec('BEGIN')
      yield* refreshing()
    } catch (error) {
      reading = 0
      undo(db)
      throw error
    }
  }
  const enter = (): void => withoutYielding(entering())
  const leave = (): void => {
    reading -= 1
    // Nothing of the file was written: what is committed are the TEMP tables.
    if (reading === 0) db.exec('COMMIT')
  }
  const read = <T>(body: () => T): T => {
    enter()
    try {
      return body()
    } finally {
      leave()
    }
  }
  function* stepping<T>(start: () => IterableIterator<T>): Generator<T> {
    enter()
    try {
      yield* start()
    } finally {
      leave()
    }
  }

  const keep = (): void => {
    // What was not read since it changed is brought in step by the next connection, whether it has to be saved or not.
    const isCurrent = builtVersion === version()
    if (builtVersion !== keptVersion) kept?.tables.save(db, isCurrent)
    else if (!isCurrent) kept?.tables.outdate()
    keptVersion = builtVersion
  }
  let keptVersion: number | null = null
  if (kept?.tables.restore(db)) {
    const restored = version()
    if (kept.tables.isCurrent && kept.isUnchanged()) {
      builtVersion = restored
      keptVersion = restored
    }
  }
  yield* entering()
  leave()
  if (derivation.isStill && companions.length === 0) return { ...db, keep }
  return {
    keep,
    path: db.path,
    all: (sql: string, params?: SqlParams) => read(() => db.all(sql, params)) as never,
    get: (sql, params) => read(() => db.get(sql, params)) as never,
    value: (sql, params) => read(() => db.value(sql, params)) as never,
    column: (sql, params) => read(() => db.column(sql, params)) as never,
    rows: (sql, params) => read(() => db.rows(sql, params)) as never,
    iterate: (sql, params) => stepping(() => db.iterate(sql, params)) as never,
    // While one state is read, a companion that changes is not looked at: what is read belongs to the tables as they are.
    dataVersion: () => (reading > 0 && builtVersion !== null ? builtVersion : version()),
    ownChanges: () => 0,
    run: (sql, params) => db.run(sql, params),
    runRaw: (sql, values) => db.runRaw(sql, values),
    define: (name, body) => db.define(name, body),
    exec: (sql) => db.exec(sql),
    close: () => db.close(),
  }
}

/** What is left half done in TEMP tables. */
function undo(db: PreparableDb): void {
  try {
    db.exec('ROLLBACK')
  } catch {
    // It did not begin, or SQLite ended it by itself, as it does after some errors.
  }
}
