import { realpathSync } from 'node:fs'

/**
 * Native files in whose tables a reader of this process met values that those tables forbid. Every value of such a file is
 * looked at whenever it is opened, which takes as long as reading all of its rows; of others SQLite's own word is taken.
 */
const distrusted = new Set<string>()

export const isDistrusted = (path: string): boolean => distrusted.size > 0 && distrusted.has(realPathOf(path))

export function distrust(path: string): void {
  distrusted.add(realPathOf(path))
}

/** It was looked through, and is as it should be again. */
export function trustAgain(path: string): void {
  distrusted.delete(realPathOf(path))
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It is gone: whoever opens it says so.
    return path
  }
}
