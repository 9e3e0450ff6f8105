import { z } from 'zod'

/** The closed list of errors that a caller may see. Anything else is a bug and arrives as `internal`. */
export const ErrorCode = z.enum([
  // What was asked is invalid (CLI exit 2).
  'invalid_argument',
  'conversation_required',
  // The file cannot be opened (CLI exit 5).
  'file_missing',
  'file_is_folder',
  'file_not_readable',
  'file_empty',
  'file_truncated',
  'file_corrupt',
  'not_a_database',
  'not_a_memory',
  'unsupported_system',
  'newer_version',
  'no_memory_open',
  'server_refused',
  // The operation failed (CLI exit 1).
  'not_found',
  'read_only_dialect',
  'read_only_file',
  'unsupported',
  'switched_off',
  'pattern_too_slow',
  'statement_refused',
  'statement_stopped',
  'transcript_unreadable',
  'disk_full',
  'model_failed',
  'ledger_refused',
  'plan_stale',
  'sqlite_failed',
  'message_conflict',
  'server_failed',
  'grant_expired',
  'grant_exceeded',
  'grant_scope',
  'cancelled',
  'internal',
  // The operation may succeed later (CLI exit 4).
  'locked',
  'server_unavailable',
  // What is to be replaced has changed meanwhile (CLI exit 4).
  'conflict',
])
export type ErrorCode = z.infer<typeof ErrorCode>

/** The error that every door returns. `message` says what happened, to what, and what to do. */
export const ErrorInfo = z.object({
  code: ErrorCode,
  message: z.string(),
  retryable: z.boolean(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type ErrorInfo = z.infer<typeof ErrorInfo>
