import { closeSync, openSync } from 'node:fs'
import { readAt } from '../read-at.ts'

export const LOG_HEADER_BYTES = 32
/** The last bit tells whether checksums use big-endian words. */
const MAGIC = 0x377f0682

export type Sums = readonly [number, number]

/** https://www.sqlite.org/fileformat2.html#walformat */
export type LogHeader = {
  readonly pageSize: number
  readonly salts: Sums
  readonly sums: Sums
  readonly isBigEndian: boolean
}

/**
 * Tells whether a log begins with a complete header. Returns false for a missing log. SQLite holds no locks on a log,
 * so opening it drops none.
 */
export function isWholeLogHeader(path: string): boolean {
  try {
    return parseLogHeader(readLogHeader(path)) !== null
  } catch {
    // The log was removed this moment.
    return false
  }
}

/** Returns the first bytes of a log. They change with each restart of the log. */
export function readLogHeader(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    return readAt(file, 0, LOG_HEADER_BYTES)
  } finally {
    closeSync(file)
  }
}

/** Returns null when the bytes are not the header of a log. */
export function parseLogHeader(bytes: Buffer): LogHeader | null {
  if (bytes.length < LOG_HEADER_BYTES) return null
  const magic = bytes.readUInt32BE(0)
  const pageSize = bytes.readUInt32BE(8)
  const isBigEndian = magic === (MAGIC | 1)
  if ((magic !== MAGIC && !isBigEndian) || pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) {
    return null
  }
  const sums: Sums = [bytes.readUInt32BE(24), bytes.readUInt32BE(28)]
  const [a, b] = checksum(bytes.subarray(0, 24), [0, 0], isBigEndian)
  if (a !== sums[0] || b !== sums[1]) return null
  return { pageSize, salts: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)], sums, isBigEndian }
}

/** https://www.sqlite.org/fileformat2.html#checksum_algorithm */
export function checksum(bytes: Buffer, [first, second]: Sums, isBigEndian: boolean): Sums {
  let [a, b] = [first | 0, second | 0]
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (isBigEndian ? bytes.readInt32BE(at) : bytes.readInt32LE(at)) + b) | 0
    b = (b + (isBigEndian ? bytes.readInt32BE(at + 4) : bytes.readInt32LE(at + 4)) + a) | 0
  }
  return [a >>> 0, b >>> 0]
}
