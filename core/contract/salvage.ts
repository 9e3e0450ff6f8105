import { z } from 'zod'

/** Rows between two keys, both included, that could not be read; how many there were is not known. */
const LostRange = z.object({
  /** What the keys are: `msg_12`, an ordinal, a summary's id. */
  from: z.string(),
  to: z.string(),
})

export const SalvagedTable = z.object({
  table: z.string(),
  /** Rows that are in the copy. */
  read: z.int(),
  /** Rows that could be read and not be kept, because they are not what the table holds. */
  refused: z.int(),
  /** At most 100. */
  lost: z.array(LostRange),
  lostRanges: z.int(),
})
export type SalvagedTable = z.infer<typeof SalvagedTable>

export const SalvageReport = z.object({
  from: z.string(),
  to: z.string(),
  system: z.string(),
  tables: z.array(SalvagedTable),
  /**
   * The file's own table of contents could not be read: rows were found page by page, told by how they are stored. What
   * stood on lost pages cannot be named then, and nobody can say that nothing was lost.
   */
  byPages: z.boolean(),
  /** Nothing was lost: the damage lies in what is not copied (indexes, free pages). */
  isWhole: z.boolean(),
  /** SQLite's own check of the copy. */
  isSound: z.boolean(),
  /** Bytes that were missing at the end of the file; 0 when it was not cut off. */
  missingBytes: z.int(),
  durationMs: z.number(),
})
export type SalvageReport = z.infer<typeof SalvageReport>
