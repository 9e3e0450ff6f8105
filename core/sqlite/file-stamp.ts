import { statSync } from 'node:fs'
import { LcmError } from '../errors.ts'

/** Changes whenever a file was written or replaced. */
export function fileStamp(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file ? `${file.dev}:${file.ino}:${file.size}:${file.mtimeNs}` : 'nothing'
}

/**
 * A write may leave the time of a file as it is when it follows another within one tick of the file system's clock.
 * Older than this, a time tells every write that comes. File systems that keep whole seconds only tick every second or two.
 */
export const TICK_MS = 20
const COARSE_TICK_MS = 2000

/** Any write that comes from now on changes the stamp of the file. */
export function isSettled(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) return true
  const tick = file.mtimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS
  return Date.now() - file.mtimeMs > tick
}

/**
 * A writer puts its last page into the log, waits for the disk, and only then lets readers see the commit: its stamp is
 * older than what it makes visible. Disks are taken to need no longer than this.
 */
export const LONGEST_COMMIT_MS = 2000

/** What readers see of a file beside its writer is all that was written to it so far. */
export function isQuiet(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false })
  return !file || Date.now() - file.mtimeMs > LONGEST_COMMIT_MS
}

export const changedMeanwhile = (path: string): LcmError =>
  new LcmError('locked', `${path} was changed by another program while it was read: try again.`, { path })
