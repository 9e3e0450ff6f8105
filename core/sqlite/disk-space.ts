import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** A disk with less is full for SQLite, which writes several pages at once. */
const LEAST_BYTES = 1024 * 1024
/** What SQLite may have taken back of a file when its error arrives: as much as a transaction of ours adds. */
const TAKEN_BACK_BYTES = 64 * 1024 * 1024

/**
 * Whether a database cannot grow. SQLite keeps to itself what the system said of a failed write, so it is found out
 * afterwards, by looking: nothing is written beside a file that may be another system's.
 */
export function isOutOfRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    if (bavail * bsize < LEAST_BYTES) return true
  } catch {
    // A file system that does not say.
  }
  const limit = fileSizeLimit()
  return limit !== null && ['', '-wal', '-journal', '-shm'].some((suffix) => isNear(`${path}${suffix}`, limit))
}

function isNear(path: string, limit: number): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) + TAKEN_BACK_BYTES > limit
  } catch {
    return false
  }
}

/** How large a file of this process may become; null: as large as the disk has room. */
function fileSizeLimit(): number | null {
  type Report = { readonly userLimits?: { readonly file_size_blocks?: { readonly soft?: number | string } } }
  const { userLimits } = process.report.getReport() as Report
  const limit = Number(userLimits?.file_size_blocks?.soft)
  return Number.isFinite(limit) ? limit : null
}
