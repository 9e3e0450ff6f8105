// Why it is so: docs/decisions/0019-reading-other-systems.md

import { fileStamp } from '#core/sqlite/file-stamp.ts'
import type { KeptTables } from '#core/sqlite/kept-tables.ts'
import { type ReadCalls, readCalls } from '#core/sqlite/read-db.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { withoutYielding } from '#core/yielding.ts'

/** How TEMP tables are filled with what a system does not store as rows. */
export type Derivation = {
  /** Makes the TEMP tables, or brings them in step with the file, one piece at a time. */
  readonly build: (db: PreparableDb) => Generator<void>
  /** Absolute paths of other files that it reads. When one of them changes, the tables are brought in step, too. */
  readonly companions: readonly string[]
  /** True when nobody can change the database or a companion while it is open. */
  readonly isStill: boolean
  /** Where the tables are kept between two connections, and whether the file has stayed the same since. */
  readonly kept?: { readonly tables: KeptTables; readonly isUnchanged: () => boolean }
}

export type DerivedDb = PreparableDb & {
  /** Keeps the tables for the next connection. */
  keep(): void
}

/**
 * Makes a read connection whose derived TEMP tables always belong to the state of the file that is read. Every read,
 * and every iteration from its first row to its end, runs in one transaction. When the file has changed, the tables are
 * brought in step at the start of that transaction. Only then may the connection write, and only to its own TEMP tables.
 * At first they are made one piece at a time, in one transaction. Later they are brought in step without yielding,
 * because somebody waits for the answer.
 * @throws LcmError what `build` throws, here and from any read
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
    // This is asked inside the transaction, so it is the version of what the transaction sees.
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
    // This commits TEMP tables only. Nothing was written to the file.
    if (reading === 0) db.exec('COMMIT')
  }
  const read = <T>(call: (db: ReadCalls) => T): T => {
    enter()
    try {
      return call(db)
    } finally {
      leave()
    }
  }
  function* stepping<T>(start: (db: ReadCalls) => IterableIterator<T>): Generator<T> {
    enter()
    try {
      yield* start(db)
    } finally {
      leave()
    }
  }

  const keep = (): void => {
    // If the file changed and nobody has read it since, the next connection brings the tables in step.
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
  if (derivation.isStill) return { ...db, keep }
  return {
    keep,
    path: db.path,
    ...readCalls(read, stepping),
    // While one state is read, a change of a companion does not count: the tables belong to that state.
    dataVersion: () => (reading > 0 && builtVersion !== null ? builtVersion : version()),
    ownChanges: () => 0,
    run: (sql, params) => db.run(sql, params),
    runRaw: (sql, values) => db.runRaw(sql, values),
    define: (name, body) => db.define(name, body),
    exec: (sql) => db.exec(sql),
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  }
}

/** Rolls back what was left half done in TEMP tables. */
function undo(db: PreparableDb): void {
  try {
    db.exec('ROLLBACK')
  } catch {
    // The transaction did not begin, or SQLite rolled it back by itself, as it does after some errors.
  }
}
