import { z } from 'zod'
import { NodeId } from './ids.ts'

export const SqlInput = z.object({
  sql: z.string().min(1).max(100_000).describe('one statement that reads: SELECT, WITH, VALUES or EXPLAIN'),
  limit: z.int().min(1).max(100_000).default(1000).describe('rows to return at most'),
  timeoutMs: z
    .int()
    .min(100)
    .max(300_000)
    .default(10_000)
    .describe('milliseconds after which the statement is stopped'),
})
export type SqlInput = z.infer<typeof SqlInput>

/** Bytes as hexadecimal digits, of which the first thousand are shown. */
const SqlBytes = z.object({ hex: z.string(), bytes: z.int() })
/** An infinite number, and an integer beyond 2⁵³ that JSON's readers would take for another, are texts. */
const SqlCell = z.union([z.string(), z.number(), z.null(), SqlBytes])
export type SqlCell = z.infer<typeof SqlCell>

export const SqlAnswer = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(SqlCell)),
  /** How long the statement took, without opening the file. */
  elapsedMs: z.number(),
  /** Why there may be more rows than these. Null when these are all. */
  cut: z.enum(['rows', 'bytes']).nullable(),
  /** How many texts and bytes are longer than what is returned of them. */
  cutValues: z.int(),
})
export type SqlAnswer = z.infer<typeof SqlAnswer>

/** Writes the rows as CSV (RFC 4180), without a line break at the end. NULL is an empty field, bytes are hexadecimal. */
export function sqlCsv({ columns, rows }: Pick<SqlAnswer, 'columns' | 'rows'>): string {
  const field = (cell: SqlCell): string => {
    const text = cell === null ? '' : typeof cell === 'object' ? cell.hex : String(cell)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return [columns, ...rows].map((row) => row.map(field).join(',')).join('\r\n')
}

export const SqlTable = z.object({
  /** As a statement writes it, with quotes where it needs them. */
  name: z.string(),
  /** `memory`: a name that is the same for every system. `file`: as the file stores it, where it differs. */
  kind: z.enum(['memory', 'file']),
  columns: z.array(z.string()),
})
export type SqlTable = z.infer<typeof SqlTable>

export const SavedQuery = z.object({
  name: z.string().trim().min(1).max(120).describe('what the query is called'),
  sql: z.string().min(1).max(100_000).describe('its statement'),
})
export type SavedQuery = z.infer<typeof SavedQuery>

/** The rows behind a node, as the file stores them: of a message also those of its parts. */
export const RawRows = z.object({
  id: NodeId,
  rows: z.array(
    z.object({
      table: z.string(),
      /** False for what the system does not store as a row of its own: it is shown as it is read. */
      isStored: z.boolean(),
      columns: z.array(z.object({ name: z.string(), value: SqlCell })),
    }),
  ),
  /** How many values are longer than what is returned of them. */
  cutValues: z.int(),
})
export type RawRows = z.infer<typeof RawRows>
