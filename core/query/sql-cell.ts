import type { SqlCell } from '../contract/sql.ts'
import type { SqlValue } from '../sqlite/read-db.ts'
import { trimSurrogate } from '../text.ts'

const MOST_BLOB_BYTES = 1000

/**
 * Returns a stored value as it is shown: bytes as hexadecimal, and the beginning of what is long. JSON has no infinite
 * number, and many programs read its integers beyond 2⁵³ as others: such a number is shown by its text.
 */
export function cellOf(value: SqlValue, mostChars: number): { readonly cell: SqlCell; readonly isCut: boolean } {
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value.subarray(0, MOST_BLOB_BYTES)).toString('hex')
    return { cell: { hex, bytes: value.length }, isCut: value.length > MOST_BLOB_BYTES }
  }
  if (typeof value === 'string') {
    const isCut = value.length > mostChars
    return { cell: isCut ? trimSurrogate(value.slice(0, mostChars)) : value, isCut }
  }
  if (value === null) return { cell: null, isCut: false }
  const number = Number(value)
  const isExact = typeof value === 'bigint' ? Number.isSafeInteger(number) : Number.isFinite(number)
  return { cell: isExact ? number : String(value), isCut: false }
}
