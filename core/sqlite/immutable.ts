import { statSync } from 'node:fs'
import { changedMeanwhile, changesFromNow } from './file-stamp.ts'
import type { MemoryFile } from './memory-file.ts'
import { readCalls } from './read-db.ts'
import { openByUri, type PreparableDb, type ReadOnlyConnection } from './uri-db.ts'

/** Number of rows after which a scan checks again that the file has not changed. */
const ROWS_BETWEEN_LOOKS = 1024

/**
 * Reads a large file without a writer in its place, without locks.
 * @returns null when the file has a writer
 */
export function connectImmutable({ realPath }: MemoryFile): ReadOnlyConnection | null {
  const isChanged = changesFromNow(realPath)
  if (statSync(`${realPath}-wal`, { throwIfNoEntry: false })?.size) return null
  const db = guardFile(openByUri(realPath, 'immutable=1'), isChanged)
  return { db, access: 'at_rest', close: () => db.close() }
}

/**
 * A file that is read without locks may change meanwhile, and a reader would mix old and new pages. The returned
 * connection answers only while the file is as it was. Afterwards every method throws, and the file has to be
 * opened again.
 * @throws LcmError locked, from every method
 */
function guardFile(db: PreparableDb, isChanged: () => boolean): PreparableDb {
  const refuseChanged = (): void => {
    if (isChanged()) throw changedMeanwhile(db.path)
  }
  /** A mixture of old and new pages looks like damage. The change of the file is the better error. */
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
    ...readCalls(
      (call) => guarded(() => call(db)),
      (start) => stepping(() => start(db)),
    ),
    dataVersion: () => db.dataVersion(),
    ownChanges: () => db.ownChanges(),
    run: (sql, params) => guarded(() => db.run(sql, params)),
    runRaw: (sql, values) => guarded(() => db.runRaw(sql, values)),
    define: (name, body) => db.define(name, body),
    exec: (sql) => guarded(() => db.exec(sql)),
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  }
}
