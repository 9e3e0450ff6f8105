import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { openHere } from '#core/sqlite/in-place.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import { openByUri, type PreparableDb } from '#core/sqlite/uri-db.ts'
import { keepingDerived } from '#core/systems/deriving/derived-db.ts'
import { withoutYielding } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A file with one number a row, its writer, and a reader that keeps their sum. */
function summed(open: (path: string) => PreparableDb, companions: readonly string[] = []) {
  const path = join(temporaryFolder(), 'numbers.db')
  const writer = new Database(path)
  writer.pragma('journal_mode = WAL')
  writer.exec('CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (2)')
  const db = open(path)
  closing.push(
    () => db.close(),
    () => writer.close(),
  )
  const builds = { count: 0, fails: false }
  db.exec('CREATE TEMP VIEW sums AS SELECT total FROM temp.sum; PRAGMA query_only = ON')
  function* build(into: PreparableDb): Generator<void> {
    builds.count += 1
    yield
    into.exec('DROP TABLE IF EXISTS temp.sum; CREATE TEMP TABLE sum (total INTEGER)')
    if (builds.fails) throw new Error('cannot add up')
    into.run('INSERT INTO temp.sum SELECT CAST(:extra AS INTEGER) + sum(n) FROM main.numbers', { extra: 0 })
  }
  return { writer, builds, read: withoutYielding(keepingDerived(db, { build, companions, isStill: false })) }
}

describe.each([
  ['a connection by URI', (path: string) => openByUri(path, 'mode=ro&readonly_shm=1')],
  ['a plain connection', openHere],
])('derived tables over %s', (_name, open) => {
  it('are made once, and again only when the file changed', () => {
    const { read, writer, builds } = summed(open)
    expect([read.value('SELECT total FROM sums'), read.value('SELECT total FROM sums')]).toEqual([3, 3])
    expect(builds.count).toBe(1)
    writer.exec('INSERT INTO numbers VALUES (10)')
    expect(read.all('SELECT total, (SELECT sum(n) FROM main.numbers) AS now FROM sums')).toEqual([
      { total: 13, now: 13 },
    ])
    expect(builds.count).toBe(2)
  })

  it('agree with the rows of the file during an iteration or a snapshot', () => {
    const { read, writer } = summed(open)
    const both = 'SELECT total - (SELECT sum(n) FROM main.numbers) FROM sums'
    readSnapshot(read, () => {
      writer.exec('INSERT INTO numbers VALUES (10)')
      expect([read.value('SELECT total FROM sums'), read.value(both)]).toEqual([3, 0])
    })
    expect([read.value('SELECT total FROM sums'), read.value(both)]).toEqual([13, 0])
    const rows = read.iterate<{ n: number }>('SELECT n FROM main.numbers ORDER BY n')
    rows.next()
    writer.exec('INSERT INTO numbers VALUES (100)')
    expect(read.value('SELECT total FROM sums')).toBe(13)
    expect([...rows]).toEqual([{ n: 2 }, { n: 10 }])
    expect(read.value('SELECT total FROM sums')).toBe(113)
  })

  it('let no other statement write', () => {
    const { read } = summed(open)
    expect(() => read.all('DELETE FROM temp.sum RETURNING total')).toThrow()
    expect(() => read.all('DELETE FROM numbers RETURNING n')).toThrow()
    expect(read.value('SELECT total FROM sums')).toBe(3)
  })

  it('hold no lock that a writer waits for after a read', () => {
    const { read, writer } = summed(open)
    read.value('SELECT total FROM sums')
    writer.pragma('busy_timeout = 0')
    writer.exec('INSERT INTO numbers VALUES (10)')
    expect(writer.pragma('wal_checkpoint(TRUNCATE)')).toEqual([expect.objectContaining({ busy: 0 })])
    expect(read.value('SELECT total FROM sums')).toBe(13)
  })

  it('stay as they were when making them again fails, and are made at the next read', () => {
    const { read, writer, builds } = summed(open)
    builds.fails = true
    writer.exec('INSERT INTO numbers VALUES (10)')
    expect(() => read.value('SELECT total FROM sums')).toThrow('cannot add up')
    expect(() => read.value('SELECT total FROM sums')).toThrow('cannot add up')
    builds.fails = false
    expect(read.value('SELECT total FROM sums')).toBe(13)
  })

  it('follow a file beside the database', () => {
    const beside = join(temporaryFolder(), 'beside.jsonl')
    writeFileSync(beside, 'a')
    const { read, builds } = summed(open, [beside])
    const before = read.dataVersion()
    writeFileSync(beside, 'ab')
    expect(read.dataVersion()).not.toBe(before)
    read.value('SELECT total FROM sums')
    expect(builds.count).toBe(2)
  })
})
