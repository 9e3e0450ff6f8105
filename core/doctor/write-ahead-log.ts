import { closeSync, openSync, readSync } from 'node:fs'
import { checksum, LOG_HEADER_BYTES, type LogHeader, parseLogHeader, type Sums } from '../sqlite/log-header.ts'

const FRAME_HEADER_BYTES = 24
/**
 * Each restart of a log increments its first salt. A frame with a salt within this distance is left over from an older
 * log.
 */
const MOST_RESTARTS = 1 << 24

/** A complete frame whose checksum continues that of all frames before it. */
export type LogFrame = { readonly page: number; readonly isCommit: boolean; readonly content: Buffer }

/** The state at the end of a log. */
export type LogEnd = {
  /** False when the header is invalid, so that nothing behind it can be read. */
  readonly hasHeader: boolean
  /** The number of valid frames from the first one on. */
  readonly frames: number
  /** Commits in valid frames of this log behind a broken frame. SQLite does not see them. */
  readonly strandedCommits: number
  /** Bytes behind the frames that belong to no frame, neither of this log nor of an older one. */
  readonly foreignBytes: number
}

/**
 * Reads a write-ahead log frame by frame as a recovery would, and then what follows: usually frames from before the
 * last checkpoint. Closing the log drops no locks, because SQLite holds none on it.
 * https://www.sqlite.org/fileformat2.html#walformat
 */
export function* readLog(path: string): Generator<LogFrame, LogEnd> {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(LOG_HEADER_BYTES)
    const header = parseLogHeader(start.subarray(0, readSync(file, start, 0, LOG_HEADER_BYTES, 0)))
    if (!header) return { hasHeader: false, frames: 0, strandedCommits: 0, foreignBytes: 0 }
    const slot = Buffer.alloc(FRAME_HEADER_BYTES + header.pageSize)
    let sums = header.sums
    let [frames, strandedCommits, foreignBytes] = [0, 0, 0]
    let isWhole = true
    for (let at = LOG_HEADER_BYTES; readSync(file, slot, 0, slot.length, at) === slot.length; at += slot.length) {
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

/** Checksums that no frame continues. */
const NOTHING: Sums = [Number.NaN, Number.NaN]

const isSame = (a: Sums, b: Sums): boolean => a[0] === b[0] && a[1] === b[1]

function kindOf(slot: Buffer, { salts }: LogHeader): 'current' | 'older' | 'foreign' {
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
