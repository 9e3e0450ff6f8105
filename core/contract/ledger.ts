import { z } from 'zod'

/** Something in a ledger that cannot be relied on. */
export const LedgerFailure = z.object({
  /** The line from 1, or 0 for what concerns the whole ledger. */
  line: z.int(),
  check: z.enum([
    'malformed_json',
    'ledger_hash',
    'ledger_chain',
    'ledger_duplicate_event',
    'ledger_time_order',
    'ledger_behind',
    'ledger_ahead',
  ]),
  detail: z.string(),
})
export type LedgerFailure = z.infer<typeof LedgerFailure>

/** Large files that a ledger names. It holds what is known of each, and not its contents. */
const LedgerFiles = z.object({ count: z.int(), bytes: z.int() })
export type LedgerFiles = z.infer<typeof LedgerFiles>

export const LedgerReport = z.object({
  path: z.string(),
  ok: z.boolean(),
  /**
   * The number of lines that do not name the line before them, as older versions and other programs write them. Whether
   * lines among them are missing cannot be known.
   */
  unchained: z.int(),
  /** True when the memory that keeps this ledger was asked, and has noted the same end. */
  isEndProved: z.boolean(),
  largeFiles: LedgerFiles,
  events: z.int(),
  bytes: z.int(),
  /** Events by kind: message, tool_result, event, artifact. */
  kinds: z.record(z.string(), z.int()),
  /** At most 1,000 are listed. `failureCount` is the whole number. */
  failures: z.array(LedgerFailure),
  failureCount: z.int(),
  durationMs: z.number(),
})
export type LedgerReport = z.infer<typeof LedgerReport>

export const LedgerRebuild = z.object({
  path: z.string(),
  ok: z.boolean(),
  events: z.int(),
  messages: z.int(),
  summaries: z.int(),
  largeFiles: LedgerFiles,
  /** At most 1,000 are listed. `failureCount` is the whole number. */
  failures: z.array(LedgerFailure),
  failureCount: z.int(),
  /** SHA-256 of every row that a ledger holds, table by table. Equal memories have equal hashes. */
  contentHash: z.string(),
})
export type LedgerRebuild = z.infer<typeof LedgerRebuild>

/**
 * Why nothing is appended to a ledger: nobody agreed to it on this machine, it belongs to another memory, it was cut
 * off or is missing, its last lines were changed, it continues after what this memory wrote, or it cannot be reached.
 */
export const LedgerProblem = z.enum(['not_agreed', 'foreign', 'cut_off', 'changed', 'ahead', 'unreachable'])
export type LedgerProblem = z.infer<typeof LedgerProblem>

/** What a memory says of its own ledger. */
export const LedgerState = z.object({
  /** Null when no ledger is kept. */
  path: z.string().nullable(),
  /** Changes that are committed and not in the ledger yet. */
  pending: z.int(),
  bytes: z.int(),
  problem: LedgerProblem.nullable(),
  /** Why nothing can be appended, and what to do, or null when it can. */
  blocked: z.string().nullable(),
})
export type LedgerState = z.infer<typeof LedgerState>
