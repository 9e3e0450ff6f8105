/**
 * Finds pairs of rows and columns, both rising, with the largest total gain; among equal totals, the one that begins
 * first. O(rows × columns).
 * @param gain the gain of a row with a column; 0 means that they are no pair
 */
export function bestPairs(
  rows: number,
  columns: number,
  gain: (row: number, column: number) => number,
): [row: number, column: number][] {
  const width = columns + 1
  /** The largest gain that is possible from a row and a column on. */
  const best = new Float64Array((rows + 1) * width)
  const at = (row: number, column: number): number => best[row * width + column] as number
  const paired = (row: number, column: number): number => {
    const gained = gain(row, column)
    return gained > 0 ? gained + at(row + 1, column + 1) : 0
  }
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      best[row * width + column] = Math.max(paired(row, column), at(row + 1, column), at(row, column + 1))
    }
  }
  const pairs: [number, number][] = []
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    const here = at(row, column)
    if (here > 0 && here === paired(row, column)) {
      pairs.push([row, column])
      row += 1
      column += 1
    } else if (here === at(row + 1, column)) row += 1
    else column += 1
  }
  return pairs
}
