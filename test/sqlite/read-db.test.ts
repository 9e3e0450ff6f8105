import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { type ReadDb, wrapConnection } from '#core/sqlite/read-db.ts'
import { canOpenUris, openByUri } from '#core/sqlite/uri-db.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const path = join(temporaryFolder(), 'numbers.db')
const made = new Database(path)
made.exec(`
  CREATE TABLE numbers (n INTEGER PRIMARY KEY, word TEXT, half REAL, raw BLOB);
  INSERT INTO numbers VALUES (1, 'one', 0.5, x'00ff'), (2, 'zwei ß 数 🚀', 1, NULL), (3, NULL, NULL, NULL);
  CREATE TABLE huge (n INTEGER);
  INSERT INTO huge VALUES (1), (9007199254740993);`)
made.close()

const connections: ReadDb[] = [wrapConnection(new Database(path, { readonly: true }), path)]
if (canOpenUris()) connections.push(openByUri(path, 'immutable=1'), openByUri(path, 'mode=ro&readonly_shm=1'))
afterAll(() => {
  for (const db of connections) db.close()
})

const codeOf = (body: () => unknown): unknown => {
  try {
    body()
  } catch (error) {
    return error instanceof LcmError ? error.code : error
  }
  return 'no error'
}

describe.each(
  connections.map((db, index) => ({ db, name: ['better-sqlite3', 'immutable', 'beside a writer'][index] })),
)('reading through $name', ({ db }) => {
  it('returns rows as objects or arrays, the first row, a value, or a column', () => {
    expect(db.all('SELECT n, word FROM numbers ORDER BY n')).toEqual([
      { n: 1, word: 'one' },
      { n: 2, word: 'zwei ß 数 🚀' },
      { n: 3, word: null },
    ])
    expect(db.rows('SELECT n, word FROM numbers WHERE n <> 2 ORDER BY n')).toEqual([
      [1, 'one'],
      [3, null],
    ])
    expect(db.get('SELECT half FROM numbers WHERE n = :n', { n: 1 })).toEqual({ half: 0.5 })
    expect(db.get('SELECT 1 FROM numbers WHERE n = 9')).toBeUndefined()
    expect(db.value('SELECT word FROM numbers WHERE n = 2')).toBe('zwei ß 数 🚀')
    expect(db.value('SELECT 1 FROM numbers WHERE n = 9')).toBeUndefined()
    expect(db.column('SELECT n FROM numbers ORDER BY n DESC')).toEqual([3, 2, 1])
    expect(Buffer.from(db.value<Uint8Array>('SELECT raw FROM numbers WHERE n = 1') ?? []).toString('hex')).toBe('00ff')
  })

  it('binds named parameters, numbers as REAL, and ignores unused ones', () => {
    expect(db.value('SELECT :x / 4', { x: 10, unused: 1 })).toBe(2.5)
    expect(db.value('SELECT CAST(:x AS INTEGER) / 4', { x: 10 })).toBe(2)
    expect(db.value('SELECT :x IS NULL', { x: null })).toBe(1)
    expect(db.value('SELECT typeof(:x)', { x: 5n })).toBe('integer')
  })

  it('iterates the same statement twice at a time, with other statements between', () => {
    const sql = 'SELECT n FROM numbers ORDER BY n'
    const pairs: number[][] = []
    for (const { n: outer } of db.iterate<{ n: number }>(sql)) {
      for (const { n: inner } of db.iterate<{ n: number }>(sql)) pairs.push([outer, inner])
      expect(db.value('SELECT count(*) FROM numbers')).toBe(3)
      expect(db.all(sql)).toHaveLength(3)
    }
    expect(pairs).toHaveLength(9)
    for (const row of db.iterate<{ n: number }>(sql)) {
      expect(row.n).toBe(1)
      break
    }
    expect(db.all(sql)).toHaveLength(3)
  })

  it('iterates the same statement twice at a time as arrays, with batches of it between', () => {
    const sql = 'SELECT n, word FROM numbers ORDER BY n'
    const words: unknown[] = []
    for (const [outer] of db.iterateRows<[number, string | null]>(sql)) {
      for (const [inner, word] of db.iterateRows<[number, string | null]>(sql)) if (inner === outer) words.push(word)
      expect(db.rows(sql)).toHaveLength(3)
      expect(db.column(sql)).toEqual([1, 2, 3])
      expect(db.value(sql)).toBe(1)
    }
    expect(words).toEqual(['one', 'zwei ß 数 🚀', null])
    for (const [n] of db.iterateRows<[number]>(sql)) {
      expect(n).toBe(1)
      break
    }
    expect(db.rows(sql)).toHaveLength(3)
  })

  it('reads integers beyond 2^53 without their last digits instead of failing', () => {
    expect(db.column('SELECT n FROM huge')).toEqual([1, 9007199254740992])
    expect(db.rows('SELECT n FROM huge')).toEqual([[1], [9007199254740992]])
    expect(db.all('SELECT n FROM huge')).toEqual([{ n: 1 }, { n: 9007199254740992 }])
    expect(db.value('SELECT max(n) FROM huge')).toBe(9007199254740992)
    expect(db.column('SELECT n FROM numbers WHERE n = 1')).toEqual([1])
  })

  it('reads every digit of them when asked to, again and again', () => {
    for (let time = 0; time < 2; time += 1)
      expect([...db.iterateExact('SELECT n, 0.5 FROM huge')]).toEqual([
        [1n, 0.5],
        [9007199254740993n, 0.5],
      ])
    expect(db.rows('SELECT n FROM numbers WHERE n = 1')).toEqual([[1]])
  })

  it('translates SQLite’s errors in every method', () => {
    expect(codeOf(() => db.all('SELECT nonsense'))).toBe('sqlite_failed')
    expect(codeOf(() => db.value('SELEKT'))).toBe('sqlite_failed')
    expect(codeOf(() => [...db.iterate('SELECT * FROM nowhere')])).toBe('sqlite_failed')
    expect(codeOf(() => [...db.iterateRows('SELECT * FROM nowhere')])).toBe('sqlite_failed')
    expect(codeOf(() => [...db.iterateExact('SELECT * FROM nowhere')])).toBe('sqlite_failed')
    expect(codeOf(() => db.all('DELETE FROM numbers RETURNING n'))).toBe('read_only_file')
  })
})

describe.each([
  ['the driver that writes', () => wrapConnection(new Database(copied()), 'copy')],
  ['the driver that reads by address', () => openByUri(copied(), 'mode=ro&readonly_shm=1')],
])('%s', (_name, open) => {
  it.skipIf(!canOpenUris())('lets no statement change the definitions of a file (needs node:sqlite)', () => {
    const db = open()
    db.exec('PRAGMA writable_schema = ON')
    const change = () => db.exec(`UPDATE main.sqlite_schema SET sql = replace(sql, 'word', 'term')`)
    expect(change).toThrow(/may not be modified/)
    db.close()
  })
})

function copied(): string {
  const copy = join(temporaryFolder(), 'copy.db')
  copyFileSync(path, copy)
  return copy
}
