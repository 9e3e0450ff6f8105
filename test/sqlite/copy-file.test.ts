import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { copyFileUnderLocks } from '#core/sqlite/copy-file.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** Whether another process can take the file for writing. */
const canBeWritten = (path: string): boolean => {
  const script = `const db = new (require('better-sqlite3'))(process.argv[1], { timeout: 0 });
    try { db.exec('BEGIN EXCLUSIVE'); console.log('yes') } catch { console.log('no') }`
  const made = spawnSync(process.execPath, ['-e', script, path], { encoding: 'utf8', cwd: import.meta.dirname })
  return made.stdout.trim() === 'yes'
}

test('a file that is open in this process keeps its locks while it is copied', async ({ skip }) => {
  skip(process.platform === 'win32', 'Windows has no POSIX locks')
  const folder = temporaryFolder()
  const path = join(folder, 'lcm.db')
  const db = new Database(path)
  db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1); BEGIN; SELECT * FROM t; INSERT INTO t VALUES (2)')
  await copyFileUnderLocks(path, join(folder, 'copy.db'))
  expect(canBeWritten(path)).toBe(false)
  db.exec('ROLLBACK')
  expect(canBeWritten(path)).toBe(true)
  db.close()
  expect(readFileSync(join(folder, 'copy.db')).equals(readFileSync(path))).toBe(true)
})

test('a copy that fails reports the error of the file system', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'a.db')
  writeFileSync(path, 'x')
  const nowhere = join(folder, 'not', 'there', 'b.db')
  const error = await copyFileUnderLocks(path, nowhere).catch((reason: unknown) => reason)
  expect(fileError(error, nowhere)).toMatchObject({ code: 'file_missing' })
  await expect(copyFileUnderLocks(join(folder, 'gone'), path)).rejects.toMatchObject({ code: 'ENOENT' })
})
