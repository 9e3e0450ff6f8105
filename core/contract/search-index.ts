import { z } from 'zod'

/** The result of updating a search index. */
export const SearchIndexResult = z.object({
  /**
   * `ready`: it has every present text. `behind`: the file changed meanwhile, and what was done is kept. `busy`:
   * another process is updating it. `too_large`: it would need more space than all indexes together may take.
   * `not_needed`: the file has its own.
   */
  outcome: z.enum(['ready', 'behind', 'busy', 'too_large', 'not_needed']),
  /** The number of rows that were indexed, indexed again, or dropped from the index. */
  changedRows: z.int(),
  /** Counts rows of messages and summaries together, like the following numbers. */
  indexedRows: z.int(),
  totalRows: z.int(),
  bytes: z.int(),
})
export type SearchIndexResult = z.infer<typeof SearchIndexResult>

/** How searches of the open memory are answered. */
export const SearchIndexStatus = z.object({
  /**
   * `native`: from the file's own indexes. `ready`: from an index in the app's cache. Otherwise every text is read.
   * `none`: there is no index, because the file is small or none can be stored. `building`: one is being built or
   * updated by `jobId`. `behind`: the file has changed since, and the index waits for its update.
   */
  state: z.enum(['native', 'none', 'building', 'ready', 'behind']),
  /** A sentence for people when every text is read, and otherwise null. */
  reason: z.string().nullable(),
  indexedRows: z.int(),
  totalRows: z.int(),
  /** The size of the index in the cache, 0 without one. */
  bytes: z.int(),
  /** The job that updates this index. */
  jobId: z.string().nullable(),
})
export type SearchIndexStatus = z.infer<typeof SearchIndexStatus>
