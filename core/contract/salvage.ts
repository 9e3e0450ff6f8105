import { z } from 'zod'

/** The rows between two keys, both included, that could not be read. Their number is unknown. */
const LostRange = z.object({
  /** The keys: `msg_12`, an ordinal, the id of a summary, or the number of a message in its conversation. */
  from: z.string(),
  to: z.string(),
})

export const SalvagedTable = z.object({
  table: z.string(),
  /** The number of rows in the copy. */
  read: z.int(),
  /** The number of rows that could be read and not kept, because they are not valid for the table. */
  refused: z.int(),
  /** At most 100 are listed. */
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
   * True when the schema of the file could not be read, so that rows were found page by page and recognised by their
   * form. A message on a lost page is named then only when messages before and after it were found. Nobody can say that
   * nothing was lost.
   */
  byPages: z.boolean(),
  /** True when nothing was lost, because the damage is in what is not copied (indexes, free pages). */
  isWhole: z.boolean(),
  /** The result of SQLite's own check of the copy. */
  isSound: z.boolean(),
  /** The number of bytes missing at the end of the file, 0 when it was not cut off. */
  missingBytes: z.int(),
  durationMs: z.number(),
})
export type SalvageReport = z.infer<typeof SalvageReport>
