import { closeSync, openSync, readSync } from 'node:fs'
import { checksum, LOG_HEADER_BYTES, type LogHeader, parseLogHeader, type Sums } from '../sqlite/log-header.ts'

const FRAME_HEADER_BYTES = 24
/** No memory has this many pages: 256 GB in pages of 4 KB. */
const MOST_PAGES = 1 << 26

/** A complete frame whose checksum continues that of all frames before it. */
export type LogFrame = { readonly page: number; readonly isCommit: boolean; readonly content: Buffer }

/** The state at the end of a log. */
export type LogEnd = {
  /** False when the header is invalid, so that nothing behind it can be read. */
  readonly hasHeader: boolean
  /** The number of valid frames from the first one on. */
  readonly frames: number
  /** Commits of this log behind a broken frame. SQLite does not see them. */
  readonly strandedCommits: number
  /** Bytes behind the frames that belong to no frame, neither of this log nor of another one. */
  readonly foreignBytes: number
}

/**
 * Reads a write-ahead log frame by frame as a recovery would, and then what follows: usually frames from before the
 * last checkpoint, or frames of a writer that was killed, which the next one wrote over from the first on. Closing the
 * log drops no locks, because SQLite holds none on it.
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
    let [frames, commits, foreignBytes] = [0, 0, 0]
    let hasHole = false
    let kind: Kind = 'current'
    let isWhole = true
    for (let at = LOG_HEADER_BYTES; readSync(file, slot, 0, slot.length, at) === slot.length; at += slot.length) {
      const before = kind
      kind = kindOf(slot, header)
      const isCommit = slot.readUInt32BE(4) > 0
      const stored: Sums = [slot.readUInt32BE(16), slot.readUInt32BE(20)]
      isWhole &&= kind === 'current' && isSame(stored, sumsOfFrame(slot, sums, header.isBigEndian))
      if (isWhole) {
        frames += 1
        sums = stored
        yield { page: slot.readUInt32BE(0), isCommit, content: slot.subarray(FRAME_HEADER_BYTES) }
        continue
      }
      if (kind === 'foreign') foreignBytes += slot.length
      if (kind !== 'current') continue
      // A log is written from its beginning on, so all before one of its frames was its own once.
      hasHole ||= before !== 'current'
      if (isCommit) commits += 1
    }
    // A writer that is killed after its commit was written and before others see it leaves one that never was.
    const isLeftOver = commits === 1 && !hasHole
    return { hasHeader: true, frames, strandedCommits: isLeftOver ? 0 : commits, foreignBytes }
  } finally {
    closeSync(file)
  }
}

type Kind = 'current' | 'other' | 'foreign'

const isSame = (a: Sums, b: Sums): boolean => a[0] === b[0] && a[1] === b[1]

/**
 * Tells what a frame is. Its salts do not show whether it belongs to an older log: when SQLite begins a log anew, it adds
 * one to the first salt and draws the second at random, but draws both where it found no commit in the log, or where
 * another connection had emptied it.
 */
function kindOf(slot: Buffer, { salts }: LogHeader): Kind {
  if (isSame([slot.readUInt32BE(8), slot.readUInt32BE(12)], salts)) return 'current'
  const [page, pagesAfterCommit] = [slot.readUInt32BE(0), slot.readUInt32BE(4)]
  return page > 0 && page < MOST_PAGES && pagesAfterCommit < MOST_PAGES ? 'other' : 'foreign'
}

function sumsOfFrame(slot: Buffer, before: Sums, isBigEndian: boolean): Sums {
  return checksum(slot.subarray(FRAME_HEADER_BYTES), checksum(slot.subarray(0, 8), before, isBigEndian), isBigEndian)
}
