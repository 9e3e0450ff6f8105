import { firstAtLeast } from '#core/binary-search.ts'

/** Row numbers, ascending. Null stands for all rows that exist. */
export type RowSet = Float64Array | null

export const NO_ROWS = new Float64Array(0)

/** When one list is this many times as long as the other, it is searched and not walked. */
const LONGER = 16

export const rowSetOf = (rows: readonly number[]): Float64Array => Float64Array.from(rows).sort()

export function intersection(a: RowSet, b: RowSet): RowSet {
  if (a === null || b === null) return a ?? b
  const [few, many] = a.length <= b.length ? [a, b] : [b, a]
  if (few.length * LONGER < many.length) return few.filter((row) => hasRow(many, row))
  const both = new Float64Array(few.length)
  let count = 0
  for (let i = 0, j = 0; i < few.length && j < many.length; ) {
    const x = few[i] as number
    const y = many[j] as number
    if (x === y) {
      both[count] = x
      count += 1
    }
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  return both.subarray(0, count)
}

export function union(a: RowSet, b: RowSet): RowSet {
  if (a === null || b === null) return null
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a
  const all = new Float64Array(a.length + b.length)
  let count = 0
  let i = 0
  let j = 0
  for (; i < a.length && j < b.length; count += 1) {
    const x = a[i] as number
    const y = b[j] as number
    all[count] = x < y ? x : y
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  all.set(a.subarray(i), count)
  count += a.length - i
  all.set(b.subarray(j), count)
  count += b.length - j
  return all.subarray(0, count)
}

export function difference(a: RowSet, b: Float64Array): RowSet {
  if (a === null || b.length === 0) return a
  if (a.length * LONGER < b.length) return a.filter((row) => !hasRow(b, row))
  const rest = new Float64Array(a.length)
  let count = 0
  for (let i = 0, j = 0; i < a.length; ) {
    const x = a[i] as number
    const y = j < b.length ? (b[j] as number) : Number.POSITIVE_INFINITY
    if (x < y) {
      rest[count] = x
      count += 1
    }
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  return rest.subarray(0, count)
}

export function hasRow(rows: Float64Array, row: number): boolean {
  return rows[firstAtLeast(rows, row)] === row
}

/** Writes row numbers as short text: their distances in order, seven bits a byte. */
export function packedRows(rows: readonly number[]): string {
  const bytes: number[] = []
  rows
    .toSorted((a, b) => a - b)
    .forEach((row, at, sorted) => {
      let rest = row - (sorted[at - 1] ?? 0)
      for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128))
      bytes.push(rest)
    })
  return Buffer.from(bytes).toString('base64url')
}

export function unpackedRows(text: string): number[] {
  const rows: number[] = []
  let [row, distance, unit] = [0, 0, 1]
  for (const byte of Buffer.from(text, 'base64url')) {
    distance += (byte % 128) * unit
    unit *= 128
    if (byte > 127) continue
    row += distance
    rows.push(row)
    distance = 0
    unit = 1
  }
  return rows
}
