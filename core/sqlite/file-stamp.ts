import { statSync } from 'node:fs'
import { LcmError } from '../errors.ts'

const statOf = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

/** Returns the stamp of a file. It changes when the file is written or replaced. */
export function fileStamp(path: string): string {
  const file = statOf(path)
  return file ? `${file.dev}:${file.ino}:${file.size}:${file.mtimeNs}` : 'nothing'
}

/** Returns what tells whether a file has another stamp than now, in a fraction of the time that writing stamps takes. */
export function changesFromNow(path: string): () => boolean {
  const first = statOf(path)
  return () => {
    const now = statOf(path)
    return (
      now?.mtimeNs !== first?.mtimeNs || now?.size !== first?.size || now?.ino !== first?.ino || now?.dev !== first?.dev
    )
  }
}

/**
 * When two writes follow each other within one tick of the file system's clock, the second may leave the modification
 * time unchanged. A modification time older than this changes with every later write. Some file systems store whole
 * seconds only and tick every second or two.
 */
export const TICK_MS = 20
const COARSE_TICK_MS = 2000

/** True when any later write will change the stamp of the file. */
export function isSettled(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) return true
  const tick = file.mtimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS
  return Date.now() - file.mtimeMs > tick
}

/**
 * A writer adds its last page to the log, waits for the disk, and only then lets readers see the commit. So the stamp
 * may be this much older than the commit. No disk is expected to need longer.
 */
export const LONGEST_COMMIT_MS = 2000

/** True when readers of a file that has a writer see everything that was written to it so far. */
export function isQuiet(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false })
  return !file || Date.now() - file.mtimeMs > LONGEST_COMMIT_MS
}

export const changedMeanwhile = (path: string): LcmError =>
  new LcmError('locked', `${path} was changed by another program while it was read: try again.`, { path })
