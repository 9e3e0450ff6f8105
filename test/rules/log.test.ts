import { appendFileSync, closeSync, copyFileSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../db/fixtures.ts'
import { resultOf, scanFile, wrong } from '../integrity/scan-file.ts'

const SMALL = join(FIXTURES, 'lossless-claw/small.db')
const FRAME_BYTES = 24 + 4096

/** A file with a log that its writer left behind: `commits` of one row each, the first ones checkpointed. */
function withLog(commits: number, checkpointed = 0): string {
  const folder = temporaryFolder()
  const written = join(folder, 'written.db')
  copyFileSync(SMALL, written)
  const db = new Database(written)
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 0')
  // A page that stays the same would not be written.
  const touch = (): unknown => db.exec(`UPDATE conversations SET updated_at = datetime(updated_at, '+1 second')`)
  for (let at = 0; at < checkpointed; at += 1) touch()
  if (checkpointed > 0) db.pragma('wal_checkpoint(RESTART)')
  for (let at = 0; at < commits; at += 1) touch()
  const left = join(folder, 'left.db')
  for (const suffix of ['', '-wal']) copyFileSync(`${written}${suffix}`, `${left}${suffix}`)
  db.close()
  return left
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

const NOISE = Buffer.alloc(FRAME_BYTES, 0x5a)

it.each([
  ['of a writer that was killed', () => withLog(4)],
  ['with what was there before the last checkpoint', () => withLog(2, 9)],
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
  expect(resultOf(report, 'log_broken').samples[0]?.detail).toContain('2 commits stand behind frame 2')
})

it('finds a log whose header cannot be read', async () => {
  const path = withLog(3)
  overwrite(`${path}-wal`, 18, Buffer.from([1, 2, 3, 4]))
  const [sample] = resultOf(await scanFile(path), 'log_broken').samples
  expect(sample?.detail).toContain('none of its')
})
