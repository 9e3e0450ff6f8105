import { closeSync, openSync, readSync } from 'node:fs'
import { checksum, LOG_HEADER_BYTES, type LogHeader, parseLogHeader, type Sums } from '../sqlite/log-header.ts'

const FRAME_HEADER_BYTES = 24
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

/** Sums that no frame follows on. */
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
