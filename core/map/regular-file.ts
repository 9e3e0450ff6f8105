import { statSync } from 'node:fs'
import { fileError } from '../sqlite/memory-file.ts'

/**
 * Returns the size of a file, or null where no regular file is: opening a pipe would wait for its other end.
 * @throws LcmError file_not_readable
 */
export function regularFileBytes(path: string): number | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.isFile() ? found.size : null
  } catch (error) {
    throw fileError(error, path)
  }
}
