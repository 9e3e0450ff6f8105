import { statSync } from 'node:fs'
import { LcmError } from '../errors.ts'
import type { PreparableDb } from './uri-db.ts'

/** How often a scan makes sure that what it reads still stands. */
const ROWS_BETWEEN_LOOKS = 1024

/** Changes whenever a file was written or replaced. */
export function fileStamp(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file ? `${file.dev}:${file.ino}:${file.size}:${file.mtimeNs}` : 'nothing'
}

/**
 * A write may leave the time of a file as it is when it follows another within one tick of the file system's clock.
 * Older than this, a time tells every write that comes. File systems that keep whole seconds only tick every second or two.
 */
export const TICK_MS = 20
const COARSE_TICK_MS = 2000

/** Any write that comes from now on changes the stamp of the file. */
export function isSettled(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) return true
  const tick = file.mtimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS
  return Date.now() - file.mtimeMs > tick
}

export const changedMeanwhile = (path: string): LcmError =>
  new LcmError('locked', `${path} was changed by another program while it was read: try again.`, { path })

/**
 * A file that is read without locks may be changed under the reader, who would then mix old pages with new ones. Every
 * answer of the returned connection comes from the file as it was at `stamp`; from when it was changed on there are
 * none, and it has to be opened again.
 * @throws LcmError locked, from every method
 */
export function guardFile(db: PreparableDb, realPath: string, stamp: string): PreparableDb {
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
  function* rows<T>(start: () => IterableIterator<T>): Generator<T> {
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
    iterate: (sql, params) => rows(() => db.iterate(sql, params)),
    iterateRaw: (sql, params) => rows(() => db.iterateRaw(sql, params)),
    dataVersion: () => db.dataVersion(),
    ownChanges: () => db.ownChanges(),
    run: (sql, params) => guarded(() => db.run(sql, params)),
    define: (name, body) => db.define(name, body),
    exec: (sql) => guarded(() => db.exec(sql)),
    close: () => db.close(),
  }
}
