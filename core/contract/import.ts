import { z } from 'zod'
import { Resume } from './context.ts'
import { ConversationId, NodeId, TimeMs } from './ids.ts'

/** The kinds of transcripts that can be read. Their conversations have these names as importer. */
export const TRANSCRIPT_FORMATS = [
  'claude-code',
  'codex',
  'pi',
  'openclaw',
  'oh-my-pi',
  'gemini-cli',
  'qwen-code',
  'copilot-cli',
  'hermes',
  'cline',
  'continue',
  'kimi-code',
  'droid',
  'opencode',
  'kilo',
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
export const TranscriptFormat = z.enum(['auto', ...TRANSCRIPT_FORMATS]).describe('what the files are')
export type TranscriptFormat = z.infer<typeof TranscriptFormat>

export const TranscriptPaths = z
  .array(z.string())
  .min(1)
  .meta({ description: 'a transcript file, or a folder of them', value: 'path' })

/**
 * The content of an imported session's window. `agent` is what its agent sees: its own compactions are summaries, and
 * branches that were given up are left out. `history` is every message, as if the agent had never compacted.
 */
export const ImportWindow = z
  .enum(['agent', 'history'])
  .describe('what the agent sees, with its own compactions as summaries, or every message')
export type ImportWindow = z.infer<typeof ImportWindow>

/** For a program that keeps a memory up to date with the session in which it is. */
export const ImportedSessions = z
  .array(z.string().min(1).max(1_000))
  .min(1)
  .max(1_000)
  .describe('only these sessions of a database of opencode, Kilo or OpenClaw, and what they were forked from')

export const SkippedLine = z.object({ line: z.int(), reason: z.string() })
export type SkippedLine = z.infer<typeof SkippedLine>

/** A version that wrote a file, and the newest one whose files were read and compared with a memory. */
export const NewerVersion = z.object({ written: z.string(), tried: z.string() })
export type NewerVersion = z.infer<typeof NewerVersion>

/** A conversation of a file, and what an import added to it. */
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
  /** The conversation that the file is about, or its first one. */
  conversationId: ConversationId.nullable(),
  sessionId: z.string().nullable(),
  /** The conversations in the order of the file. At most 1,000 are listed. `conversationCount` is the whole number. */
  conversations: z.array(ImportedConversation),
  conversationCount: z.int(),
  added: z.int(),
  alreadyThere: z.int(),
  /** Messages among them that an earlier import found half written and that are complete now. */
  completed: z.int(),
  /** Known ids whose content differs from what is stored. They are reported and never overwritten. */
  conflicts: z.int(),
  /** Compactions by the agent itself. Each is a summary linked to what it replaced, from this import or before. */
  compactions: z.int(),
  /** Records without conversation (progress, snapshots, titles, settings). */
  otherRecords: z.int(),
  /** At most 1,000 are listed. `skippedCount` is the whole number. */
  skipped: z.array(SkippedLine),
  skippedCount: z.int(),
  /** Conversations of which a resume would load less than the agent should see. Absent when there are none. */
  brokenChains: z.array(Resume.extend({ conversationId: ConversationId })).optional(),
  /** Set when a later version wrote the file than the newest that was tried, so that something in it may be unknown. */
  newer: NewerVersion.nullable(),
  error: z.string().nullable(),
})
export type ImportedFile = z.infer<typeof ImportedFile>

/** A file of a folder that is no transcript and was skipped. */
export const PassedOver = z.object({ path: z.string(), reason: z.string() })
export type PassedOver = z.infer<typeof PassedOver>

export const ImportResult = z.object({
  files: z.array(ImportedFile),
  /** Files of the given folders that are no transcripts. At most 1,000 are listed. `passedOverCount` is the number. */
  passedOver: z.array(PassedOver),
  passedOverCount: z.int(),
  added: z.int(),
  alreadyThere: z.int(),
  skipped: z.int(),
  bytes: z.int(),
  durationMs: z.number(),
  /** Ids of the texts that were moved into files of their own. */
  largeFiles: z.array(NodeId),
})
export type ImportResult = z.infer<typeof ImportResult>

/** What an import of a file would add, as far as its beginning shows, before anything is written. */
export const PreviewedFile = z.object({
  path: z.string(),
  bytes: z.int(),
  modifiedAtMs: TimeMs.nullable(),
  /** Null when it is no transcript. Then `error` says why. */
  format: TranscriptFormatId.nullable(),
  /** The name of the format for people. */
  label: z.string().nullable(),
  sessionId: z.string().nullable(),
  title: z.string().nullable(),
  /** The working directory. */
  cwd: z.string().nullable(),
  /** More than one when the file contains sub-agents. */
  conversations: z.int(),
  messages: z.int(),
  /** Compactions by the agent itself, which are imported as summaries. */
  compactions: z.int(),
  /** Lines that cannot be used. */
  skipped: z.int(),
  /** True when only the beginning was read, so that the numbers are lower bounds and the last time is unknown. */
  isAtLeast: z.boolean(),
  firstAtMs: TimeMs.nullable(),
  lastAtMs: TimeMs.nullable(),
  /** Set when the session is in the open memory, so that only what is new in the file would be added. */
  stored: z.object({ conversationId: ConversationId, messages: z.int() }).nullable(),
  /** Set when a later version wrote the file than the newest that was tried. */
  newer: NewerVersion.nullable(),
  error: z.string().nullable(),
})
export type PreviewedFile = z.infer<typeof PreviewedFile>

export const ImportPreview = z.object({
  files: z.array(PreviewedFile),
  /** Files of the given folders that are no transcripts. At most 1,000 are listed. */
  passedOver: z.array(PassedOver),
  passedOverCount: z.int(),
  /** Files that were found but not examined, to answer in time. An import reads them all the same. */
  notLookedAt: z.int(),
  bytes: z.int(),
})
export type ImportPreview = z.infer<typeof ImportPreview>
