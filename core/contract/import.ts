import { z } from 'zod'
import { ConversationId, TimeMs } from './ids.ts'

/** Kinds of transcripts that can be read; also what their conversations call their importer. */
export const TRANSCRIPT_FORMATS = [
  'claude-code',
  'codex',
  'pi',
  'openclaw',
  'gemini-cli',
  'opencode',
  'entire',
  'aider',
  'specstory',
  'swe-agent',
  'openhands',
  'messages',
] as const

export const TranscriptFormatId = z.enum(TRANSCRIPT_FORMATS)
export type TranscriptFormatId = z.infer<typeof TranscriptFormatId>

/** `auto` recognises each file by its content. */
export const TranscriptFormat = z.enum(['auto', ...TRANSCRIPT_FORMATS])
export type TranscriptFormat = z.infer<typeof TranscriptFormat>

/**
 * What the window of an imported session holds. `agent`: what its agent sees, so that its own compactions are summaries
 * and branches that were given up are out. `history`: every message, as if the agent had never compacted.
 */
export const ImportWindow = z.enum(['agent', 'history'])
export type ImportWindow = z.infer<typeof ImportWindow>

export const SkippedLine = z.object({ line: z.int(), reason: z.string() })
export type SkippedLine = z.infer<typeof SkippedLine>

/** A conversation that a file told of, and what an import took of it. */
export const ImportedConversation = z.object({
  conversationId: ConversationId,
  sessionId: z.string(),
  title: z.string().nullable(),
  added: z.int(),
  alreadyThere: z.int(),
})
export type ImportedConversation = z.infer<typeof ImportedConversation>

export const ImportedFile = z.object({
  path: z.string(),
  format: z.string(),
  /** The one that the file is about, or its first. */
  conversationId: ConversationId.nullable(),
  sessionId: z.string().nullable(),
  /** In the order of the file. At most 1,000 are listed; `conversationCount` is the whole number. */
  conversations: z.array(ImportedConversation),
  conversationCount: z.int(),
  added: z.int(),
  alreadyThere: z.int(),
  /** Those of them that an earlier import found half written, and that are whole now. */
  completed: z.int(),
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

/** What an import of a file would bring, from its beginning: shown before anything is written. */
export const PreviewedFile = z.object({
  path: z.string(),
  bytes: z.int(),
  modifiedAtMs: TimeMs.nullable(),
  /** Null when it is no transcript; `error` says why. */
  format: TranscriptFormatId.nullable(),
  /** Of the format, for people. */
  label: z.string().nullable(),
  sessionId: z.string().nullable(),
  title: z.string().nullable(),
  /** Working directory. */
  cwd: z.string().nullable(),
  /** More than one where sub-agents stand in the same file. */
  conversations: z.int(),
  messages: z.int(),
  /** Compactions that the agent made itself: they come in as summaries. */
  compactions: z.int(),
  /** Lines that cannot be used. */
  skipped: z.int(),
  /** Only the beginning was read: the numbers are lower bounds, the last time is not known. */
  isAtLeast: z.boolean(),
  firstAtMs: TimeMs.nullable(),
  lastAtMs: TimeMs.nullable(),
  /** The session is in the open memory: only what is new in the file would be added. */
  stored: z.object({ conversationId: ConversationId, messages: z.int() }).nullable(),
  error: z.string().nullable(),
})
export type PreviewedFile = z.infer<typeof PreviewedFile>

export const ImportPreview = z.object({
  files: z.array(PreviewedFile),
  /** Files of the given folders that are no transcripts. At most 1,000 are listed. */
  passedOver: z.array(PassedOver),
  passedOverCount: z.int(),
  /** Files that were found but not looked at, to answer soon: an import takes them all the same. */
  notLookedAt: z.int(),
  bytes: z.int(),
})
export type ImportPreview = z.infer<typeof ImportPreview>
