/** Row numbers, ascending; null stands for all rows that there are. */
export type RowSet = Float64Array | null

export function intersection(a: RowSet, b: RowSet): RowSet {
  if (a === null || b === null) return a ?? b
  const [few, many] = a.length <= b.length ? [a, b] : [b, a]
  return few.filter((row) => hasRow(many, row))
}

export function union(a: RowSet, b: RowSet): RowSet {
  if (a === null || b === null) return null
  return Float64Array.from(new Set([...a, ...b])).sort()
}

export function difference(a: RowSet, b: Float64Array): RowSet {
  return a === null ? null : a.filter((row) => !hasRow(b, row))
}

export function hasRow(rows: Float64Array, row: number): boolean {
  return rows[placeOf(rows, row)] === row
}

/** First place whose row is not below `row`. */
export function placeOf(rows: Float64Array, row: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle] as number) < row) low = middle + 1
    else high = middle
  }
  return low
}
