import type { WriteDb } from './read-db.ts'

/** In 1024 bytes. Every connection keeps pages of its own, beside those that the system keeps of a file that is read. */
const READING_KIB = 4000
/** A batch that is written, or looked up in an index, comes back to the same pages again and again. */
const BATCH_KIB = 16_000

/** Negative: bytes, not pages. https://www.sqlite.org/pragma.html#pragma_cache_size */
const keep = (size: number): string => `PRAGMA cache_size = ${size}`

/** For a connection that is open for as long as somebody looks. */
export const SMALL_PAGE_CACHE = keep(-READING_KIB)

/** For a batch. */
export const LARGE_PAGE_CACHE = keep(-BATCH_KIB)

/** Runs `body`, which writes many rows, with room for the pages that it writes. */
export function withLargePageCache<T>(db: WriteDb, body: () => T): T {
  const before = db.value<number>('PRAGMA cache_size') ?? -READING_KIB
  db.exec(LARGE_PAGE_CACHE)
  try {
    return body()
  } finally {
    db.exec(keep(before))
  }
}
