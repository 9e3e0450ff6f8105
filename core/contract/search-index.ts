import { z } from 'zod'

/** What came of bringing a search index up to date. */
export const SearchIndexResult = z.object({
  /**
   * `ready`: it has every text as it is. `behind`: the file changed meanwhile, what was done is kept. `busy`: another
   * process is at it. `too_large`: it would need more room than all indexes together may take. `not_needed`: the file
   * keeps its own.
   */
  outcome: z.enum(['ready', 'behind', 'busy', 'too_large', 'not_needed']),
  /** Rows that were indexed, indexed anew, or dropped from the index. */
  changedRows: z.int(),
  /** Rows of messages and summaries together, as in what follows. */
  indexedRows: z.int(),
  totalRows: z.int(),
  bytes: z.int(),
})
export type SearchIndexResult = z.infer<typeof SearchIndexResult>

/** How searches of the open memory are answered. */
export const SearchIndexStatus = z.object({
  /**
   * `native`: from the file's own indexes. `ready`: from an index in the app's cache. Otherwise every text is read:
   * `none`: there is no index (the file is small, or none can be kept); `building`: one is being made or brought up to
   * date by `jobId`; `behind`: the file has changed since, and the index is waiting to be brought up to date.
   */
  state: z.enum(['native', 'none', 'building', 'ready', 'behind']),
  /** A sentence for people when every text is read; null otherwise. */
  reason: z.string().nullable(),
  indexedRows: z.int(),
  totalRows: z.int(),
  /** Of the index in the cache; 0 without one. */
  bytes: z.int(),
  jobId: z.string().nullable(),
})
export type SearchIndexStatus = z.infer<typeof SearchIndexStatus>
