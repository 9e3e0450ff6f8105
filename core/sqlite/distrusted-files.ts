import { realpathSync } from 'node:fs'

/**
 * Native files in which this process found values that their tables do not allow. Whenever such a file is opened, all of
 * its rows are read and checked. Other files are not checked at opening: SQLite does not let such values in.
 */
const distrusted = new Set<string>()

export const isDistrusted = (path: string): boolean => distrusted.size > 0 && distrusted.has(realPathOf(path))

export function distrust(path: string): void {
  distrusted.add(realPathOf(path))
}

/** All rows of the file were checked, and it is sound again. */
export function trustAgain(path: string): void {
  distrusted.delete(realPathOf(path))
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // The file is missing. Opening it gives the error.
    return path
  }
}
