import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fts5Reader } from '../../core/search/fts5-reader.ts'
import { wrapConnection } from '../../core/sqlite/read-db.ts'
import { runs } from '../builders/property-runs.ts'
import { Random } from '../builders/random.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const words = ['a', 'ab', 'abc', 'abd', 'b', 'bcd', 'größe', '数', 'нет', 'x1', 'x10', 'x2']

type Step =
  | { readonly kind: 'add'; readonly row: number; readonly text: string; readonly more: string }
  | { readonly kind: 'delete'; readonly row: number }
  | { readonly kind: 'merge' | 'optimize' }

const text = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((some) => some.join(' '))
const row = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(1_000_000, 9_000_000_000_000))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('add' as const), row, text, more: text }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), row }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('merge' as const, 'optimize' as const) }) },
)

/** Each step in a transaction of its own: each writes a segment. */
function indexed(steps: readonly (readonly Step[])[], options: string) {
  const connection = new Database(join(temporaryFolder(), 'index.db'))
  // To damage it afterwards.
  connection.unsafeMode()
  connection.exec(`CREATE VIRTUAL TABLE texts USING fts5 (content, more, ${options});
    INSERT INTO texts (texts, rank) VALUES ('pgsz', 64), ('automerge', 0)`)
  const isThere = new Set<number>()
  const remove = (id: number): void => {
    if (isThere.delete(id)) connection.prepare('DELETE FROM texts WHERE rowid = ?').run(BigInt(id))
  }
  for (const transaction of steps) {
    connection.transaction(() => {
      for (const one of transaction) {
        if (one.kind === 'merge') connection.exec("INSERT INTO texts (texts, rank) VALUES ('merge', 100)")
        else if (one.kind === 'optimize') connection.exec("INSERT INTO texts (texts) VALUES ('optimize')")
        else if ('row' in one) remove(one.row)
        if (one.kind !== 'add') continue
        connection
          .prepare('INSERT INTO texts (rowid, content, more) VALUES (?, ?, ?)')
          .run(BigInt(one.row), one.text, one.more)
        isThere.add(one.row)
      }
    })()
  }
  return wrapConnection(connection, 'index.db')
}

const history = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 12 })
const folded = (word: string): string => (word === 'größe' ? 'große' : word)

describe('the reader of the pages of an FTS5 index', () => {
  it.each([
    ['with positions', "tokenize = 'unicode61 remove_diacritics 2'", true],
    ['without positions', "tokenize = 'unicode61 remove_diacritics 2', detail = none, columnsize = 0", false],
    ['of a table without content', "tokenize = 'unicode61', content = '', contentless_delete = 1", true],
  ])('returns what FTS5 returns, %s', (_, options, hasPositions) => {
    let read = 0
    fc.assert(
      fc.property(history, (steps) => {
        const db = indexed(steps, options)
        const reader = new Fts5Reader(db, 'texts', hasPositions)
        for (const word of words) {
          const token = folded(word)
          for (const isPrefix of [false, true]) {
            const postings = reader.postings(token, isPrefix)
            // Rows deleted without content leave marks that only FTS5 reads, and only FTS5 adds rows up that are far
            // apart.
            const isFar = isPrefix && steps.flat().some((one) => 'row' in one && one.row > 1e9)
            if (postings === null && (options.includes('contentless_delete') || isFar)) continue
            const match = `"${word}"${isPrefix ? ' *' : ''}`
            const rows = db.column<number>('SELECT rowid FROM texts WHERE texts MATCH :match ORDER BY rowid', { match })
            expect([word, isPrefix, [...(postings?.rows ?? [])]]).toEqual([word, isPrefix, rows])
            read += 1
            if (options.includes('content =') || !hasPositions) continue
            const texts = db.column<string>(
              "SELECT content || ' ' || more FROM texts WHERE rowid IN (SELECT value FROM json_each(:ids)) ORDER BY rowid",
              { ids: JSON.stringify(rows) },
            )
            const counts = texts.map(
              (one) => one.split(' ').filter((other) => (isPrefix ? other.startsWith(word) : other === word)).length,
            )
            expect([word, isPrefix, [...(postings?.counts ?? [])]]).toEqual([word, isPrefix, counts])
          }
        }
        db.close()
      }),
      { numRuns: runs(25) },
    )
    expect(read).toBeGreaterThan(runs(30))
  })

  it('returns what FTS5 returns for posting lists of many pages', () => {
    const random = new Random(5)
    const steps = Array.from({ length: 12 }, (_, part) =>
      Array.from({ length: 400 }, (_, i): Step => {
        const some = (count: number): string => Array.from({ length: count }, () => random.pick(words)).join(' ')
        const id = random.chance(0.9) ? part * 400 + i + 1 : random.int(1, 400)
        return { kind: 'add', row: id, text: some(random.int(1, 60)), more: some(3) }
      }),
    )
    for (const [detail, hasPositions] of [
      ['full', true],
      ['none', false],
    ] as const) {
      const db = indexed(steps, `tokenize = 'unicode61', detail = ${detail}`)
      const reader = new Fts5Reader(db, 'texts', hasPositions)
      for (const word of words) {
        for (const isPrefix of [false, true]) {
          const match = `"${word}"${isPrefix ? ' *' : ''}`
          const rows = db.column<number>('SELECT rowid FROM texts WHERE texts MATCH :match ORDER BY rowid', { match })
          expect(rows.length).toBeGreaterThan(100)
          expect([...(reader.postings(folded(word), isPrefix)?.rows ?? [])]).toEqual(rows)
        }
      }
      db.close()
    }
  })

  it('returns null when a page does not match the known layout', () => {
    const db = indexed([[{ kind: 'add', row: 1, text: 'a b', more: '' }]], "tokenize = 'unicode61'")
    db.run("UPDATE texts_data SET block = x'0000000001' WHERE id = 10")
    expect(new Fts5Reader(db, 'texts', true).postings('a', false)).toBeNull()
    db.run("UPDATE texts_config SET v = 5 WHERE k = 'version'")
    expect(new Fts5Reader(db, 'texts', true).postings('a', false)).toBeNull()
    db.close()
  })
})
