import { z } from 'zod'

/** One b-tree of the file. */
export const StorageObject = z.object({
  name: z.string(),
  /**
   * `table`, `index` (of the table `of`), `search_index` (what a full-text table keeps to find words), `search_text` (a
   * second copy of the text that a full-text table keeps), `system` (SQLite's own).
   */
  kind: z.enum(['table', 'index', 'search_index', 'search_text', 'system']),
  /** The table that an index or a full-text part belongs to; its own name for a table. */
  of: z.string(),
  bytes: z.int(),
  /** What is stored, without the frame of pages and cells. */
  payloadBytes: z.int(),
  /** Empty space inside its pages. */
  unusedBytes: z.int(),
  /** Of a table; null where they cannot be counted. */
  rows: z.int().nullable(),
})
export type StorageObject = z.infer<typeof StorageObject>

/** Text that stands in the file more than once. */
export const RepeatedText = z.object({
  id: z.enum(['search_text', 'parts_repeat_message', 'raw_blocks', 'identical_messages']),
  title: z.string(),
  explanation: z.string(),
  /** Of what is there a second time. */
  bytes: z.int(),
  /** Rows that hold it. */
  rows: z.int(),
})
export type RepeatedText = z.infer<typeof RepeatedText>

/** Something that would make the file smaller. Nothing of it happens by itself. */
export const StorageAdvice = z.object({
  id: z.enum(['vacuum', 'checkpoint', 'externalise', 'search_text', 'raw_blocks', 'backups']),
  title: z.string(),
  /** How, by whom, and what to mind. */
  detail: z.string(),
  /** Bytes to expect back on the disk. */
  gainBytes: z.int(),
})
export type StorageAdvice = z.infer<typeof StorageAdvice>

export const StorageReport = z.object({
  path: z.string(),
  /** Of the database file. */
  bytes: z.int(),
  /** Of the write-ahead log beside it; 0 when there is none. */
  walBytes: z.int(),
  pageBytes: z.int(),
  pages: z.int(),
  /** Pages that hold nothing any more and would be used again. */
  freePages: z.int(),
  /** Largest first. */
  objects: z.array(StorageObject),
  /** Names of what could not be measured, because its pages are damaged. */
  unreadable: z.array(z.string()),
  repeated: z.array(RepeatedText),
  /** Largest gain first; empty when there is nothing worth doing. */
  advice: z.array(StorageAdvice),
  durationMs: z.number(),
})
export type StorageReport = z.infer<typeof StorageReport>
