import { closeSync, openSync, readSync } from 'node:fs'

export const LOG_HEADER_BYTES = 32
/** The last bit says that sums are over big-endian words. */
const MAGIC = 0x377f0682

export type Sums = readonly [number, number]

/** https://www.sqlite.org/fileformat2.html#walformat */
export type LogHeader = {
  readonly pageSize: number
  readonly salts: Sums
  readonly sums: Sums
  readonly isBigEndian: boolean
}

/** Whether a log begins as one; false also for one that is gone. SQLite holds no locks on a log: this drops none. */
export function isWholeLogHeader(path: string): boolean {
  try {
    return parseLogHeader(readLogHeader(path)) !== null
  } catch {
    // It was put away this moment.
    return false
  }
}

/** The first bytes of a log, which are others after each restart. */
export function readLogHeader(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(LOG_HEADER_BYTES)
    return start.subarray(0, readSync(file, start, 0, LOG_HEADER_BYTES, 0))
  } finally {
    closeSync(file)
  }
}

/** null when the bytes are no header of a log. */
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
