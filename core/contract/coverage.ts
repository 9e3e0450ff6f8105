import { z } from 'zod'
import { ConversationId, NodeId, Role, TimeMs } from './ids.ts'
import { TranscriptFormat, TranscriptFormatId } from './import.ts'

export const CoverageInput = z.object({
  conversationId: ConversationId,
  /** The transcript that the agent itself keeps. */
  path: z.string().min(1),
  format: TranscriptFormat.default('auto'),
})
export type CoverageInput = z.infer<typeof CoverageInput>

/** Where a message stands in the transcript: the line of its first record; null when the format has no lines. */
const Line = z.int().nullable()

const MissingMessage = z.object({
  line: Line,
  role: Role,
  /** Null when the transcript gives no times. */
  atMs: TimeMs.nullable(),
  excerpt: z.string(),
  /** The message behind which it ought to stand; null at the beginning. */
  afterMessageId: NodeId.nullable(),
})

const DuplicatedMessage = z.object({
  line: Line,
  /** The one too many. */
  messageId: NodeId,
  /** The one that stands for the transcript's message. */
  firstMessageId: NodeId.nullable(),
  role: Role,
  excerpt: z.string(),
})

const DifferingMessage = z.object({
  line: Line,
  messageId: NodeId,
  role: Role,
  /** What the transcript says, from shortly before the first difference. */
  excerpt: z.string(),
  /** What the memory says there. */
  storedExcerpt: z.string(),
  differs: z.enum(['text', 'role', 'tool_calls']),
})

const ExtraMessage = z.object({ messageId: NodeId, role: Role, excerpt: z.string() })

/** A memory beside the transcript of the agent whose memory it is. */
export const CoverageReport = z.object({
  /** Nothing is missing, doubled or different. */
  ok: z.boolean(),
  conversationId: ConversationId,
  path: z.string(),
  format: TranscriptFormatId,
  /** The session of the transcript that was compared. */
  sessionId: z.string(),
  /** Messages of that session. */
  inTranscript: z.int(),
  /** Messages of the conversation; rows that record an event are none. */
  inDatabase: z.int(),
  /** Messages of the transcript that the memory has as they are, reshaped or not. */
  matched: z.int(),
  /** Whole numbers; of each kind at most 1,000 are listed. */
  counts: z.object({ missing: z.int(), duplicated: z.int(), differing: z.int(), extra: z.int() }),
  missing: z.array(MissingMessage),
  duplicated: z.array(DuplicatedMessage),
  differing: z.array(DifferingMessage),
  /** In the memory, not in the transcript: what the system wrote itself, or another session said. No fault by itself. */
  extra: z.array(ExtraMessage),
  /** Lines of the transcript that could not be read: what they say is not known. */
  skippedLines: z.int(),
  /** What was left out of the comparison, and why. */
  notes: z.array(z.string()),
  durationMs: z.number(),
})
export type CoverageReport = z.infer<typeof CoverageReport>
