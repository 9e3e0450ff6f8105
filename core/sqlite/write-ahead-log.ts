import { closeSync, openSync, readSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The last bit says that sums are over big-endian words. */
const MAGIC = 0x377f0682
/** Each restart of a log counts its first salt up by one: a frame within so many restarts is an older one's. */
const MOST_RESTARTS = 1 << 24

/** A frame that is whole and follows on all before it. */
export type LogFrame = { readonly page: number; readonly isCommit: boolean; readonly content: Buffer }

/** How a log ends. */
export type LogEnd = {
  /** False: nothing in the log can be read, whatever stands behind its header. */
  readonly hasHeader: boolean
  /** Frames that follow on each other from the first. */
  readonly frames: number
  /** Commits among frames of this log that follow on each other behind one that is broken: SQLite does not see them. */
  readonly strandedCommits: number
  /** Bytes behind the frames that are of no frame, neither of this log nor of what was in it before its last restart. */
  readonly foreignBytes: number
}

/**
 * Reads a write-ahead log frame by frame, as a recovery would, and then what stands behind: usually frames from before
 * the last checkpoint. Closing it takes no locks away, since SQLite holds none on a log.
 * https://www.sqlite.org/fileformat2.html#walformat
 */
export function* readLog(path: string): Generator<LogFrame, LogEnd> {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(HEADER_BYTES)
    const header = readSync(file, start, 0, HEADER_BYTES, 0) === HEADER_BYTES ? parseHeader(start) : null
    if (!header) return { hasHeader: false, frames: 0, strandedCommits: 0, foreignBytes: 0 }
    const slot = Buffer.alloc(FRAME_HEADER_BYTES + header.pageSize)
    let sums = header.sums
    let [frames, strandedCommits, foreignBytes] = [0, 0, 0]
    let isWhole = true
    for (let at = HEADER_BYTES; readSync(file, slot, 0, slot.length, at) === slot.length; at += slot.length) {
      const kind = kindOf(slot, header)
      const stored: Sums = [slot.readUInt32BE(16), slot.readUInt32BE(20)]
      const follows = kind === 'current' && isSame(stored, sumsOfFrame(slot, sums, header.isBigEndian))
      const isCommit = slot.readUInt32BE(4) > 0
      if (isWhole && follows) {
        frames += 1
        sums = stored
        yield { page: slot.readUInt32BE(0), isCommit, content: slot.subarray(FRAME_HEADER_BYTES) }
        continue
      }
      if (!isWhole && follows && isCommit) strandedCommits += 1
      if (kind === 'foreign') foreignBytes += slot.length
      isWhole = false
      sums = kind === 'current' ? stored : NOTHING
    }
    return { hasHeader: true, frames, strandedCommits, foreignBytes }
  } finally {
    closeSync(file)
  }
}

/** Whether a log begins as one; false also for one that is gone. */
export function beginsAsLog(path: string): boolean {
  try {
    const header = Buffer.from(logHeader(path), 'hex')
    return header.length === HEADER_BYTES && parseHeader(header) !== null
  } catch {
    // It was put away this moment.
    return false
  }
}

/** The first bytes of a log, which are others after each restart. */
export function logHeader(path: string): string {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(HEADER_BYTES)
    return start.toString('hex', 0, readSync(file, start, 0, HEADER_BYTES, 0))
  } finally {
    closeSync(file)
  }
}

type Sums = readonly [number, number]
type Header = {
  readonly pageSize: number
  readonly salts: Sums
  readonly sums: Sums
  readonly isBigEndian: boolean
}

/** Sums that no frame follows on. */
const NOTHING: Sums = [Number.NaN, Number.NaN]

const isSame = (a: Sums, b: Sums): boolean => a[0] === b[0] && a[1] === b[1]

function parseHeader(bytes: Buffer): Header | null {
  const magic = bytes.readUInt32BE(0)
  const pageSize = bytes.readUInt32BE(8)
  const isBigEndian = magic === (MAGIC | 1)
  if ((magic !== MAGIC && !isBigEndian) || pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) {
    return null
  }
  const sums: Sums = [bytes.readUInt32BE(24), bytes.readUInt32BE(28)]
  if (!isSame(sums, checksum(bytes.subarray(0, 24), [0, 0], isBigEndian))) return null
  return { pageSize, salts: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)], sums, isBigEndian }
}

function kindOf(slot: Buffer, { salts }: Header): 'current' | 'older' | 'foreign' {
  const salt = slot.readUInt32BE(8)
  if (slot.readUInt32BE(0) === 0) return 'foreign'
  if (salt === salts[0] && slot.readUInt32BE(12) === salts[1]) return 'current'
  const restarts = (salts[0] - salt) >>> 0
  return restarts > 0 && restarts < MOST_RESTARTS ? 'older' : 'foreign'
}

function sumsOfFrame(slot: Buffer, before: Sums, isBigEndian: boolean): Sums {
  if (Number.isNaN(before[0])) return NOTHING
  return checksum(slot.subarray(FRAME_HEADER_BYTES), checksum(slot.subarray(0, 8), before, isBigEndian), isBigEndian)
}

/** https://www.sqlite.org/fileformat2.html#checksum_algorithm */
function checksum(bytes: Buffer, [first, second]: Sums, isBigEndian: boolean): Sums {
  let [a, b] = [first | 0, second | 0]
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (isBigEndian ? bytes.readInt32BE(at) : bytes.readInt32LE(at)) + b) | 0
    b = (b + (isBigEndian ? bytes.readInt32BE(at + 4) : bytes.readInt32LE(at + 4)) + a) | 0
  }
  return [a >>> 0, b >>> 0]
}
