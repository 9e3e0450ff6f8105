import { z } from 'zod'

/** One b-tree of the file. */
export const StorageObject = z.object({
  name: z.string(),
  /**
   * `table`, `index` (of the table `of`), `search_index` (with which a full-text table finds words), `search_text` (a
   * second copy of the text in a full-text table), `system` (of SQLite itself).
   */
  kind: z.enum(['table', 'index', 'search_index', 'search_text', 'system']),
  /** The table of an index or of a part of a full-text table. For a table, its own name. */
  of: z.string(),
  bytes: z.int(),
  /** The stored content, without the overhead of pages and cells. */
  payloadBytes: z.int(),
  /** The empty space inside of its pages. */
  unusedBytes: z.int(),
  /** The rows of a table, or null when they cannot be counted. */
  rows: z.int().nullable(),
})
export type StorageObject = z.infer<typeof StorageObject>

/** Text that is stored in the file more than once. */
export const RepeatedText = z.object({
  id: z.enum(['search_text', 'parts_repeat_message', 'raw_blocks', 'identical_messages']),
  title: z.string(),
  explanation: z.string(),
  /** The bytes of all copies except for the first. */
  bytes: z.int(),
  /** The number of rows with it. */
  rows: z.int(),
})
export type RepeatedText = z.infer<typeof RepeatedText>

/** Something that would make the file smaller. None of it happens by itself. */
export const StorageAdvice = z.object({
  id: z.enum(['vacuum', 'checkpoint', 'externalise', 'search_text', 'raw_blocks', 'backups']),
  title: z.string(),
  /** How it is done, by whom, and what to mind. */
  detail: z.string(),
  /** The bytes that it would free on the disk. */
  gainBytes: z.int(),
})
export type StorageAdvice = z.infer<typeof StorageAdvice>

export const StorageReport = z.object({
  path: z.string(),
  /** The size of the database file. */
  bytes: z.int(),
  /** The size of the write-ahead log beside it, 0 when there is none. */
  walBytes: z.int(),
  pageBytes: z.int(),
  pages: z.int(),
  /** Pages that are empty and would be used again. */
  freePages: z.int(),
  /** The largest first. */
  objects: z.array(StorageObject),
  /** The names of what could not be measured, because its pages are damaged. */
  unreadable: z.array(z.string()),
  repeated: z.array(RepeatedText),
  /** The largest gain first. Empty when nothing is worth doing. */
  advice: z.array(StorageAdvice),
  durationMs: z.number(),
})
export type StorageReport = z.infer<typeof StorageReport>
