import { z } from 'zod'
import { ConversationId } from './ids.ts'

/** Kinds of transcripts that can be read; also what their conversations call their importer. */
export const TRANSCRIPT_FORMATS = [
  'claude-code',
  'codex',
  'pi',
  'openclaw',
  'gemini-cli',
  'opencode',
  'entire',
  'messages',
] as const

export const TranscriptFormatId = z.enum(TRANSCRIPT_FORMATS)
export type TranscriptFormatId = z.infer<typeof TranscriptFormatId>

/** `auto` recognises each file by its content. */
export const TranscriptFormat = z.enum(['auto', ...TRANSCRIPT_FORMATS])
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
  /** Compactions that the agent made itself: each is a summary linked to what it replaced, from this import or before. */
  compactions: z.int(),
  /** Records that hold no conversation (progress, snapshots, titles, settings). */
  otherRecords: z.int(),
  /** At most 1,000 are listed; `skippedCount` is the whole number. */
  skipped: z.array(SkippedLine),
  skippedCount: z.int(),
  error: z.string().nullable(),
})
export type ImportedFile = z.infer<typeof ImportedFile>

/** A file of a folder that is no transcript: left alone. */
export const PassedOver = z.object({ path: z.string(), reason: z.string() })
export type PassedOver = z.infer<typeof PassedOver>

export const ImportResult = z.object({
  files: z.array(ImportedFile),
  /** Files of the given folders that are no transcripts. At most 1,000 are listed; `passedOverCount` is the number. */
  passedOver: z.array(PassedOver),
  passedOverCount: z.int(),
  added: z.int(),
  alreadyThere: z.int(),
  skipped: z.int(),
  bytes: z.int(),
  durationMs: z.number(),
})
export type ImportResult = z.infer<typeof ImportResult>
