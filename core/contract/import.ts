import { z } from 'zod'
import { ConversationId } from './ids.ts'

export const TranscriptFormat = z.enum(['auto', 'claude-code'])
export type TranscriptFormat = z.infer<typeof TranscriptFormat>

export const SkippedLine = z.object({ line: z.int(), reason: z.string() })
export type SkippedLine = z.infer<typeof SkippedLine>

export const ImportedFile = z.object({
  path: z.string(),
  format: z.string(),
  conversationId: ConversationId.nullable(),
  sessionId: z.string().nullable(),
  added: z.int(),
  alreadyThere: z.int(),
  /** Known ids whose content differs from what is stored: reported, never overwritten. */
  conflicts: z.int(),
  /** Records that hold no conversation (progress, snapshots, titles, settings). */
  otherRecords: z.int(),
  /** At most 1,000 are listed; `skippedCount` is the whole number. */
  skipped: z.array(SkippedLine),
  skippedCount: z.int(),
  error: z.string().nullable(),
})
export type ImportedFile = z.infer<typeof ImportedFile>

export const ImportResult = z.object({
  files: z.array(ImportedFile),
  added: z.int(),
  alreadyThere: z.int(),
  skipped: z.int(),
  bytes: z.int(),
  durationMs: z.number(),
})
export type ImportResult = z.infer<typeof ImportResult>
