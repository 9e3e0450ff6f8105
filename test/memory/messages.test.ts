import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GrowingMessages, type PackedMessages } from '#core/memory/growing-messages.ts'

type PlainRow = [id: number, seq: number, tokens: number | null, role: number, createdAtMs: number | null]

const joined = (values: readonly (number | null)[], separator = ','): string | null =>
  values.some((value) => value !== null) ? values.filter((value) => value !== null).join(separator) : null

/** As SQLite gives it: `group_concat` leaves NULL out. */
const packed = (rows: readonly PlainRow[]): PackedMessages => [
  rows.length,
  joined(rows.map((row) => row[0])),
  joined(rows.map((row) => row[1])),
  joined(rows.map((row) => row[2])),
  joined(
    rows.map((row) => row[3]),
    '',
  ),
  joined(rows.map((row) => row[4])),
]

const columnsOf = (rows: readonly PlainRow[]) => {
  const columns = new GrowingMessages(0)
  columns.append(rows)
  return { ...columns.view(), sums: columns.sums }
}

const plainRows = fc
  .array(fc.tuple(fc.nat(), fc.nat(5), fc.nat(100_000), fc.nat(3), fc.nat({ max: 2_000_000_000_000 })), {
    minLength: 1,
    maxLength: 40,
  })
  .map((rows) => rows.map((row): PlainRow => [...row]).sort((a, b) => a[1] - b[1]))

describe('columns of messages', () => {
  it('are the same when rows are appended one by one or packed', () => {
    fc.assert(
      fc.property(plainRows, (rows) => {
        const columns = new GrowingMessages(3)
        expect(columns.appendPacked(packed(rows), rows.length + 1)).toBe(true)
        expect({ ...columns.view(), sums: columns.sums }).toEqual(columnsOf(rows))
      }),
    )
  })

  it('leave out the last seq of a packed part, because more rows of it may follow', () => {
    fc.assert(
      fc.property(plainRows, (rows) => {
        const columns = new GrowingMessages(0)
        const whole = rows.filter((row) => row[1] !== rows.at(-1)?.[1])
        expect(columns.appendPacked(packed(rows), rows.length)).toBe(whole.length > 0)
        expect({ ...columns.view(), sums: columns.sums }).toEqual(columnsOf(whole))
      }),
    )
  })

  it.each<[string, PlainRow]>([
    ['no time', [2, 1, 3, 0, null]],
    ['a time with a fraction', [2, 1, 3, 0, 1.5]],
    ['no count', [2, 1, null, 0, 7]],
  ])('refuse a packed part when a row has %s', (_, row) => {
    const columns = new GrowingMessages(0)
    expect(columns.appendPacked(packed([[1, 0, 1, 1, 5], row]), 10)).toBe(false)
    expect(columns.length).toBe(0)
  })
})
