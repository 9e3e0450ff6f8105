import fs, { appendFileSync, closeSync, copyFileSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { resultOf, scanFile, wrong } from '../integrity/scan-file.ts'

const SMALL = join(FIXTURES, 'lossless-claw/small.db')
const FRAME_BYTES = 24 + 4096

// A page that stays the same would not be written.
const touch = (db: Database.Database): unknown =>
  db.exec(`UPDATE conversations SET updated_at = datetime(updated_at, '+1 second')`)
/** Changes more pages than `touch`. */
const touchAll = (db: Database.Database): unknown => db.exec(`UPDATE messages SET content = content || '.'`)

/** Another file of the same folder as this one is now, as if its writer were killed. */
function asKilled(path: string, name: string): string {
  const left = join(dirname(path), name)
  for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${left}${suffix}`)
  return left
}

function opened(path: string): Database.Database {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 0')
  return db
}

function smallFile(): string {
  const path = join(temporaryFolder(), 'written.db')
  copyFileSync(SMALL, path)
  return path
}

/** A file with a log that its writer left behind: `commits` of one row each, the first ones checkpointed. */
function withLog(commits: number, checkpointed = 0): string {
  const written = smallFile()
  const db = opened(written)
  for (let at = 0; at < checkpointed; at += 1) touch(db)
  if (checkpointed > 0) db.pragma('wal_checkpoint(RESTART)')
  for (let at = 0; at < commits; at += 1) touch(db)
  const left = asKilled(written, 'left.db')
  db.close()
  return left
}

/** A writer was killed within its first transaction, and the next one wrote less. SQLite took new salts for it. */
function withUnfinished(): string {
  const written = smallFile()
  const killed = opened(written)
  // So that pages are written to the log before the commit.
  killed.pragma('cache_size = 1')
  killed.exec('BEGIN')
  touchAll(killed)
  const next = opened(asKilled(written, 'killed.db'))
  touch(next)
  const left = asKilled(next.name, 'left.db')
  killed.close()
  next.close()
  return left
}

/** A writer was killed when its commit was in the log and no other one knew of it; the next one wrote less. */
function withUnseenCommit(): string {
  const written = smallFile()
  const next = opened(written)
  touch(next)
  const killed = opened(asKilled(written, 'killed.db'))
  touchAll(killed)
  const log = readFileSync(`${killed.name}-wal`)
  killed.close()
  overwrite(`${written}-wal`, 0, log)
  touch(next)
  const left = asKilled(written, 'left.db')
  next.close()
  return left
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

/** Calls back once so many frames of logs were read in this process. Other files may have loaded what reads them before. */
function whenRead(frames: number, body: () => void): void {
  const { readSync } = fs
  const replace = (by: typeof readSync): void => {
    fs.readSync = by
    syncBuiltinESMExports()
  }
  let left = frames
  replace(((...given: Parameters<typeof readSync>) => {
    const read = readSync(...given)
    if ((given[1] as Buffer).length === FRAME_BYTES) left -= 1
    if (left > 0) return read
    replace(readSync)
    body()
    return read
  }) as typeof readSync)
  onTestFinished(() => replace(readSync))
}

const NOISE = Buffer.alloc(FRAME_BYTES, 0x5a)

it.each([
  ['of a writer that was killed', () => withLog(4)],
  ['with what was there before the last checkpoint', () => withLog(2, 9)],
  ['with what one that was killed had not committed', withUnfinished],
  ['with a commit that one that was killed could not tell of', withUnseenCommit],
  [
    'that ends in the middle of a frame',
    () => {
      const path = withLog(3)
      appendFileSync(`${path}-wal`, NOISE.subarray(0, 700))
      return path
    },
  ],
  [
    'whose last commit was cut off while it was written',
    () => {
      const path = withLog(3)
      overwrite(`${path}-wal`, statSync(`${path}-wal`).size - 900, NOISE.subarray(0, 900))
      return path
    },
  ],
])('finds nothing in the write-ahead log %s', async (_what, make) => {
  const path = make()
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(FRAME_BYTES)
  expect(wrong(await scanFile(path))).toEqual([])
})

it('finds a log with foreign bytes behind its frames', async () => {
  const path = withLog(2)
  appendFileSync(`${path}-wal`, NOISE)
  const report = await scanFile(path)
  expect(wrong(report)).toEqual(['log_broken'])
  expect(resultOf(report, 'log_broken').samples[0]?.detail).toContain('4,120 bytes behind frame 2')
})

it('finds a log with commits behind a frame that cannot be read', async () => {
  const path = withLog(5)
  overwrite(`${path}-wal`, 32 + 2 * FRAME_BYTES + 1000, NOISE.subarray(0, 50))
  const report = await scanFile(path)
  expect(wrong(report)).toEqual(['log_broken'])
  expect(resultOf(report, 'log_broken').samples[0]?.detail).toContain('3 commits stand behind frame 2')
})

it('finds a log whose header cannot be read', async () => {
  const path = withLog(3)
  overwrite(`${path}-wal`, 18, Buffer.from([1, 2, 3, 4]))
  const [sample] = resultOf(await scanFile(path), 'log_broken').samples
  expect(sample?.detail).toContain('none of its')
})

it('finds a log with a commit behind bytes that were never of it', async () => {
  const path = withLog(4)
  overwrite(`${path}-wal`, 32 + 2 * FRAME_BYTES, NOISE)
  const { samples } = resultOf(await scanFile(path), 'log_broken')
  expect(samples.map(({ detail }) => detail)).toEqual([
    expect.stringContaining('a commit stands behind frame 2'),
    expect.stringContaining('4,120 bytes behind frame 2'),
  ])
})

it('finds nothing where a writer overtakes the check', async () => {
  const written = smallFile()
  const writer = opened(written)
  for (let at = 0; at < 9; at += 1) touch(writer)
  writer.pragma('wal_checkpoint(RESTART)')
  for (let at = 0; at < 2; at += 1) touch(writer)
  const path = asKilled(written, 'left.db')
  for (let at = 0; at < 4; at += 1) touch(writer)
  const later = readFileSync(`${written}-wal`)
  writer.close()
  // The frame behind the last one was read when four commits are written from there on.
  whenRead(3, () => overwrite(`${path}-wal`, 0, later))
  expect(wrong(await scanFile(path))).toEqual([])
  expect(readFileSync(`${path}-wal`)).toEqual(later)
})
