import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { startByOther } from './file-header.ts'

/** https://www.sqlite.org/walformat.html#the_wal_index_file_format */
const INDEX_HEADER_BYTES = 48
/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** A transaction that outgrows its writer's memory puts frames into the log before it is committed. */
const MOST_OPEN_FRAMES = 10_000

/**
 * What the index of a write-ahead log says of the log: another with every commit that readers can see. null when it is
 * being written this moment or cannot be read.
 */
export function readLogIndex(realPath: string): Buffer | null {
  const start = startByOther(`${realPath}-shm`, 2 * INDEX_HEADER_BYTES)
  if (start?.length !== 2 * INDEX_HEADER_BYTES) return null
  // It stands there twice, so that a reader notices a writer.
  const header = start.subarray(0, INDEX_HEADER_BYTES)
  return header.equals(start.subarray(INDEX_HEADER_BYTES)) ? header : null
}

/** https://www.sqlite.org/walformat.html#the_wal_index_header */
const INDEX_VERSION = 3_007_000
const IS_INITIALISED_AT = 12

/**
 * Whether a log has an index that a reader can go by. Of one that says nothing SQLite waits ten seconds for somebody who
 * makes it, before it gives up ("locking protocol").
 */
export function hasSoundIndex(realPath: string): boolean {
  const index = readLogIndex(realPath)
  if (index === null || index[IS_INITIALISED_AT] !== 1) return false
  // It is written in the byte order of its computer.
  return index.readUInt32LE(0) === INDEX_VERSION || index.readUInt32BE(0) === INDEX_VERSION
}

/**
 * Every commit that stands in the log is one that readers see: any later one has to be written to the log first. Between
 * the two a writer may wait for its disk, and nothing but this tells that there is more to come. A log is never locked
 * itself, so it may be read here.
 * @param index what `readLogIndex` said
 */
export function isAllSeen(realPath: string, index: Buffer): boolean {
  const path = `${realPath}-wal`
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (bytes < LOG_HEADER_BYTES + FRAME_HEADER_BYTES) return true
  const log = openSync(path, 'r')
  try {
    const read = (at: number, length: number): Buffer => {
      const buffer = Buffer.alloc(length)
      return buffer.subarray(0, readSync(log, buffer, 0, length, at))
    }
    const header = read(0, LOG_HEADER_BYTES)
    const salts = header.subarray(16, 24)
    // The log is begun anew, and what is in it cannot be told from what was.
    if (!salts.equals(index.subarray(32, 40))) return false
    const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8)
    const seen = index.readUInt32LE(16)
    for (let frame = seen; frame < seen + MOST_OPEN_FRAMES; frame += 1) {
      const start = read(LOG_HEADER_BYTES + frame * frameBytes, FRAME_HEADER_BYTES)
      if (start.length < FRAME_HEADER_BYTES || !start.subarray(8, 16).equals(salts)) return true
      // Size of the database after a commit; 0 in a frame that is not the last of one.
      if (start.readUInt32BE(4) !== 0) return false
    }
    return false
  } finally {
    closeSync(log)
  }
}
