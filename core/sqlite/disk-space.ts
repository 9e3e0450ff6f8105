import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** SQLite writes several pages at once, so a disk with less free space counts as full. */
const LEAST_BYTES = 1024 * 1024
/** SQLite may already have shortened the file when its error arrives, by as much as one of our transactions adds. */
const TAKEN_BACK_BYTES = 64 * 1024 * 1024

/**
 * Tells whether a database cannot grow. SQLite does not report why a write failed, so this looks at the free space
 * afterwards. It writes no test file, because the folder may belong to another system.
 */
export function isOutOfRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    if (bavail * bsize < LEAST_BYTES) return true
  } catch {
    // The file system does not report its free space.
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

/** Returns the largest size that this process may give to a file, or null when only the disk limits it. */
function fileSizeLimit(): number | null {
  type Report = { readonly userLimits?: { readonly file_size_blocks?: { readonly soft?: number | string } } }
  const { userLimits } = process.report.getReport() as Report
  const limit = Number(userLimits?.file_size_blocks?.soft)
  return Number.isFinite(limit) ? limit : null
}
