import { chmodSync, copyFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { Stats } from '#core/contract/memory.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

export const WITHOUT_CONSTRAINTS = 'PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON'

/** A writable copy of a file in a folder. */
export function copyInto(folder: string, path: string): string {
  const copy = join(folder, basename(path))
  copyFileSync(path, copy)
  chmodSync(copy, 0o644)
  return copy
}

/** A changed copy, alone in a folder of its own, at rest. */
export function changedCopy(path: string, change: (db: Database.Database) => void): string {
  const copy = copyInto(temporaryFolder(), path)
  const db = new Database(copy)
  change(db)
  db.pragma('journal_mode = DELETE')
  db.close()
  return copy
}

/** Rows of a file as its own system stores them, read without any of our views. */
export function stored<Row>(path: string, sql: string): Row[] {
  const db = new Database(copyInto(temporaryFolder(), path))
  const rows = db.prepare<[], Row>(sql).all()
  db.close()
  return rows
}

/** SQL that takes keys, checks and triggers off some tables, then does something that they would have refused. */
export const loosened = (tables: readonly string[], sql: string): string =>
  `${tables
    .map(
      (table) =>
        `CREATE TABLE loose AS SELECT * FROM ${table}; DROP TABLE ${table}; ALTER TABLE loose RENAME TO ${table};`,
    )
    .join(' ')} ${sql}`

/** A copy that its own system is writing to while we look at it. */
export async function following(
  path: string,
  cacheDir: string,
  into = temporaryFolder(),
): Promise<{ path: string; lcm: Lcm; read: () => Stats; write: (sql: string) => void }> {
  const copy = copyInto(into, path)
  const db = new Database(copy)
  db.pragma('journal_mode = WAL')
  // The log exists from the first write on.
  db.exec('CREATE TABLE IF NOT EXISTS warm_up (x); DROP TABLE warm_up')
  const lcm = await openLcm(copy, { cacheDir, settings: readSettings({}) })
  onTestFinished(() => {
    lcm.close()
    db.close()
  })
  if (lcm.info.access !== 'in_place') throw new Error('the file is not read beside its writer')
  return { path: copy, lcm, read: () => lcm.stats.stats(), write: (sql) => db.exec(sql) }
}
