import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextKey } from '#core/sqlite/keyset.ts'
import { type ReadDb, wrapConnection } from '#core/sqlite/read-db.ts'
import { inPieces, inRanges } from '#core/systems/deriving/derived-tables.ts'
import { costsAfter } from '#core/systems/records/steps.ts'
import { buildMemory } from '../builders/memory.ts'

const db: Pick<ReadDb, 'path'> = { path: 'damaged.db' }
const LATER_THAN_ALL = 2 ** 63

/** Whatever may stand in a column of keys, as either driver gives it. */
const anyKey = fc.oneof(
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(0, -1, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), LATER_THAN_ALL, '7', '', null, undefined, Number.NaN),
  fc.uint8Array({ maxLength: 2 }),
)

/**
 * How many steps are taken over a list of keys in any order that begins anew at its end, as on a damaged file, until
 * there is none, or an error says that they do not ascend.
 */
function stepsOver(keys: readonly unknown[], walk: (next: () => never) => Iterable<void>): number {
  let asked = 0
  const next = (): never => keys[asked++ % keys.length] as never
  try {
    for (const _ of walk(next)) if (asked > keys.length + 1) break
  } catch (error) {
    expect(error).toMatchObject({ code: 'file_corrupt' })
  }
  return asked
}

describe('going through a table by its keys', () => {
  it('ends before a key is taken twice, whatever the keys are and in whatever order', () => {
    fc.assert(
      fc.property(fc.array(anyKey, { minLength: 1, maxLength: 8 }), (keys) => {
        const most = keys.length + 1
        expect(stepsOver(keys, (next) => inPieces(db, next, -Infinity, () => {}))).toBeLessThanOrEqual(most)
        expect(stepsOver(keys, (next) => inRanges(db, next, -Infinity, () => 0))).toBeLessThanOrEqual(most)
        const byHand = function* (next: () => unknown): Generator<void> {
          for (let last = -Infinity; ; yield) last = nextKey(db, 'keys', last, next())
        }
        expect(stepsOver(keys, byHand)).toBeLessThanOrEqual(most)
      }),
    )
  })

  it('does not call a file damaged when its numbers are too large to be read exactly', () => {
    expect(() => nextKey(db, 'the numbers of rows', 2 ** 53, 2 ** 53)).toThrow(
      /go beyond 9,007,199,254,740,991, the largest that is read exactly. Nothing is damaged/,
    )
  })

  it('leaves out rows whose numbers are too large to be read exactly', () => {
    const keys = [5, 2 ** 53, 2 ** 53]
    const ends: number[] = []
    const next = (last: number): number | undefined => keys.find((key) => key > last)
    for (const _ of inPieces(db, next, 0, ({ end }) => ends.push(end)));
    expect(ends).toEqual([5, Number.MAX_SAFE_INTEGER])
    for (const _ of inRanges(db, next, 0, ({ end }) => ends.push(end)));
    expect(ends.at(-1)).toBeLessThan(2 ** 53)
  })

  it('says that the file is damaged where its messages are not in the order of their numbers', () => {
    const memory = buildMemory({ conversations: [{ messages: ['a', 'b', 'c', 'd', 'e', 'f'] }] })
    memory.db.close()
    swapFirstAndLastRow(memory.path, 'messages')
    const read = wrapConnection(new Database(memory.path, { readonly: true }), memory.path)
    const ids: number[] = []
    expect(() => {
      for (let part = costsAfter(read, -Infinity, 3); part; part = costsAfter(read, part.last, 3)) {
        ids.push(part.last)
        if (ids.length > 10) return
      }
    }).toThrow('the numbers of messages do not ascend')
    read.close()
  })
})

/** Exchanges two cells of a table that is a single page. https://www.sqlite.org/fileformat2.html#b_tree_pages */
function swapFirstAndLastRow(path: string, table: string): void {
  const known = new Database(path)
  known.pragma('journal_mode = DELETE')
  const pageBytes = Number(known.pragma('page_size', { simple: true }))
  const page = Number(known.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table))
  known.close()
  const bytes = readFileSync(path)
  const start = (page - 1) * pageBytes
  expect(bytes[start]).toBe(13)
  const [first, last] = [start + 8, start + 8 + 2 * (bytes.readUInt16BE(start + 3) - 1)]
  const kept = bytes.readUInt16BE(first)
  bytes.writeUInt16BE(bytes.readUInt16BE(last), first)
  bytes.writeUInt16BE(kept, last)
  writeFileSync(path, bytes)
}
