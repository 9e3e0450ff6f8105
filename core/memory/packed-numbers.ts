const ZERO = 48
const COMMA = 44
const MINUS = 45

/**
 * Parses whole decimal numbers with commas between them, as `group_concat` gives them, into `into` from index `first`
 * on. Returns how many there were, or −1 when the text holds something else or there is no room.
 */
export function unpackInto(text: string, into: Float64Array | Int32Array, first: number): number {
  let next = first
  let value = 0
  let digits = 0
  let isNegative = false
  // A comma is imagined after the last number. A closure over these variables would take twice as long.
  for (let index = 0; index <= text.length; index += 1) {
    const unit = index < text.length ? text.charCodeAt(index) : COMMA
    if (unit >= ZERO && unit < ZERO + 10) {
      value = value * 10 + unit - ZERO
      digits += 1
    } else if (unit === COMMA && digits > 0 && next < into.length) {
      into[next] = isNegative ? -value : value
      next += 1
      value = 0
      digits = 0
      isNegative = false
    } else if (unit === MINUS && digits === 0 && !isNegative) {
      isNegative = true
    } else {
      return -1
    }
  }
  return next - first
}

/** Returns a longer column that begins with the same values. */
export function grown<T extends Float64Array | Int32Array | Uint8Array>(column: T, length: number): T {
  const longer = new (column.constructor as new (length: number) => T)(length)
  longer.set(column as never)
  return longer
}
