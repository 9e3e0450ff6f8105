import { realpathSync } from 'node:fs'

/**
 * Native files in which this process found values that the table definitions forbid. Each time such a file is opened,
 * all its rows are checked. Other files are not checked, because SQLite refuses such values.
 */
const distrusted = new Set<string>()

export const isDistrusted = (path: string): boolean => distrusted.size > 0 && distrusted.has(realPathOf(path))

export function distrust(path: string): void {
  distrusted.add(realPathOf(path))
}

/** Call this when all rows of the file were checked and are valid again. */
export function trustAgain(path: string): void {
  distrusted.delete(realPathOf(path))
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // The file is missing. Opening it reports the error.
    return path
  }
}
