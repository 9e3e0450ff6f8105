import { statSync, utimesSync } from 'node:fs'
import { sha256 } from '#core/hashing.ts'
import { fileStamp, isSettled } from '#core/sqlite/file-stamp.ts'
import { pathExists } from '#core/sqlite/memory-file.ts'
import { contentIndexPath, indexFolder, KEY_LENGTH } from '../side-index/index-folder.ts'
import { ContentIndex } from './content-index.ts'

/** A smaller content is read as quickly as its index. */
const SMALL_BYTES = 1 << 17
/** How often the time of use of an index is noted. */
const TOUCH_MS = 3_600_000

/**
 * The indexes of the contents of large files, in the app's cache. An index belongs to the stamp of a file (device,
 * inode, size, time), so that a file that was changed or replaced has none. Whoever has no index reads the content.
 */
export class ContentIndexes {
  readonly folder: string
  readonly #smallBytes: number

  /** @param smallBytes contents below this size have no index */
  constructor(cacheDir: string, smallBytes = SMALL_BYTES) {
    this.folder = indexFolder(cacheDir)
    this.#smallBytes = smallBytes
  }

  /** Opens the index of a content for a search, or returns null when there is none. */
  open(path: string, bytes: number): ContentIndex | null {
    if (bytes < this.#smallBytes) return null
    const indexPath = this.pathOf(path)
    const index = ContentIndex.open(path, indexPath)
    if (index) touch(indexPath)
    return index
  }

  /** Whether an index of a content would save time and there is none. */
  isMissing(path: string, bytes: number): boolean {
    return bytes >= this.#smallBytes && isSettled(path) && !pathExists(this.pathOf(path))
  }

  keyOf(path: string): string {
    return sha256(fileStamp(path)).slice(0, KEY_LENGTH)
  }

  pathOf(path: string): string {
    return contentIndexPath(this.folder, this.keyOf(path))
  }
}

/** Notes that an index is in use, so that it is removed later than others. */
function touch(path: string): void {
  try {
    const now = Date.now()
    if (now - statSync(path).mtimeMs > TOUCH_MS) utimesSync(path, now / 1000, now / 1000)
  } catch {
    // Another process has just removed it, or the cache cannot be written. The open index can be used all the same.
  }
}
