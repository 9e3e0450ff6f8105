import type { WriteDb } from './read-db.ts'

/** Unit: 1024 bytes. Every connection has a page cache of its own, in addition to the cache of the operating system. */
const READING_KIB = 4000
/** A batch of writes or index lookups uses the same pages many times. */
const BATCH_KIB = 16_000

/** A negative number is a size in KiB, not in pages. https://www.sqlite.org/pragma.html#pragma_cache_size */
const keep = (size: number): string => `PRAGMA cache_size = ${size}`

/** The cache of a connection that stays open as long as a window. */
export const SMALL_PAGE_CACHE = keep(-READING_KIB)

/** The cache of a connection during a batch. */
export const LARGE_PAGE_CACHE = keep(-BATCH_KIB)

/** Runs `body`, which writes many rows, with a large page cache. */
export function withLargePageCache<T>(db: WriteDb, body: () => T): T {
  const giveBack = enlargePageCache(db)
  try {
    return body()
  } finally {
    giveBack()
  }
}

/**
 * Gives a connection a large page cache for many batches, and returns what makes it small again. Between batches its
 * pages would be thrown away, and read anew.
 */
export function enlargePageCache(db: WriteDb): () => void {
  const before = db.value<number>('PRAGMA cache_size') ?? -READING_KIB
  if (before === -BATCH_KIB) return () => undefined
  db.exec(LARGE_PAGE_CACHE)
  return () => db.exec(keep(before))
}
