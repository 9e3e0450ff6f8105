import { statSync } from 'node:fs'
import { changedMeanwhile, fileStamp } from './file-stamp.ts'
import type { MemoryFile } from './memory-file.ts'
import { openByUri, type PreparableDb, type ReadOnlyConnection } from './uri-db.ts'

/** How often a scan makes sure that what it reads still stands. */
const ROWS_BETWEEN_LOOKS = 1024

/**
 * Reads a large file at rest where it is, without locks.
 * @returns null when somebody writes to it after all
 */
export function connectImmutable({ realPath }: MemoryFile): ReadOnlyConnection | null {
  const stamp = fileStamp(realPath)
  if (statSync(`${realPath}-wal`, { throwIfNoEntry: false })?.size) return null
  const db = guardFile(openByUri(realPath, 'immutable=1'), realPath, stamp)
  return { db, access: 'at_rest', close: () => db.close() }
}

/**
 * A file that is read without locks may be changed under the reader, who would then mix old pages with new ones. Every
 * answer of the returned connection comes from the file as it was at `stamp`; from when it was changed on there are
 * none, and it has to be opened again.
 * @throws LcmError locked, from every method
 */
function guardFile(db: PreparableDb, realPath: string, stamp: string): PreparableDb {
  const isChanged = (): boolean => fileStamp(realPath) !== stamp
  const refuseChanged = (): void => {
    if (isChanged()) throw changedMeanwhile(db.path)
  }
  /** Torn pages look like damage: that they are torn is the better answer. */
  const guarded = <T>(read: () => T): T => {
    try {
      const answer = read()
      refuseChanged()
      return answer
    } catch (error) {
      refuseChanged()
      throw error
    }
  }
  function* stepping<T>(start: () => IterableIterator<T>): Generator<T> {
    let seen = 0
    try {
      for (const row of start()) {
        if (seen % ROWS_BETWEEN_LOOKS === 0) refuseChanged()
        seen += 1
        yield row
      }
      refuseChanged()
    } catch (error) {
      refuseChanged()
      throw error
    }
  }
  return {
    path: db.path,
    all: (sql, params) => guarded(() => db.all(sql, params)),
    get: (sql, params) => guarded(() => db.get(sql, params)),
    value: (sql, params) => guarded(() => db.value(sql, params)),
    column: (sql, params) => guarded(() => db.column(sql, params)),
    rows: (sql, params) => guarded(() => db.rows(sql, params)),
    iterate: (sql, params) => stepping(() => db.iterate(sql, params)),
    dataVersion: () => db.dataVersion(),
    ownChanges: () => db.ownChanges(),
    run: (sql, params) => guarded(() => db.run(sql, params)),
    runRaw: (sql, values) => guarded(() => db.runRaw(sql, values)),
    define: (name, body) => db.define(name, body),
    exec: (sql) => guarded(() => db.exec(sql)),
    close: () => db.close(),
  }
}
