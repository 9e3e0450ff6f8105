import { z } from 'zod'
import { ConversationId, NodeId, Role, TimeMs } from './ids.ts'
import { TranscriptFormat, TranscriptFormatId } from './import.ts'

export const CoverageInput = z.object({
  conversationId: ConversationId,
  path: z.string().min(1).meta({ description: 'the transcript that the agent itself keeps', value: 'file' }),
  format: TranscriptFormat.default('auto'),
})
export type CoverageInput = z.infer<typeof CoverageInput>

/** The line of a message's first record in the transcript, or null when the format has no lines. */
const Line = z.int().nullable()

const MissingMessage = z.object({
  line: Line,
  role: Role,
  /** Null when the transcript has no times. */
  atMs: TimeMs.nullable(),
  excerpt: z.string(),
  /** The message after which it should be, or null at the beginning. */
  afterMessageId: NodeId.nullable(),
})

const DuplicatedMessage = z.object({
  line: Line,
  /** The duplicate. */
  messageId: NodeId,
  /** The message that matches the one of the transcript. */
  firstMessageId: NodeId.nullable(),
  role: Role,
  excerpt: z.string(),
})

const DifferingMessage = z.object({
  line: Line,
  messageId: NodeId,
  role: Role,
  /** The text of the transcript, from shortly before the first difference. */
  excerpt: z.string(),
  /** The text of the memory at that place. */
  storedExcerpt: z.string(),
  differs: z.enum(['text', 'role', 'tool_calls']),
})

/** A text of a record that was read, which is nowhere in the memory. */
const LostText = z.object({
  line: Line,
  /** The fields that lead to it: `message.content[].text`. */ field: z.string(),
  excerpt: z.string(),
})

const ExtraMessage = z.object({ messageId: NodeId, role: Role, excerpt: z.string() })

/** The comparison of a memory with the transcript of its agent. */
export const CoverageReport = z.object({
  /** True when nothing is missing, duplicated or different, and no text of a message is lost. */
  ok: z.boolean(),
  /**
   * True when besides that every line was read, every text of the records is in the memory, and both sides have equally
   * many messages. Texts are looked for in conversations that were imported from such a transcript, because other
   * systems change texts or leave some out by design.
   */
  isEverything: z.boolean(),
  conversationId: ConversationId,
  path: z.string(),
  format: TranscriptFormatId,
  /** The session of the transcript that was compared. */
  sessionId: z.string(),
  /** The number of messages in that session. */
  inTranscript: z.int(),
  /** The number of messages in the conversation, without rows that record an event. */
  inDatabase: z.int(),
  /** The messages of the transcript that the memory has with the same text, reshaped or not. */
  matched: z.int(),
  /** The whole numbers. At most 1,000 findings of each kind are listed. */
  counts: z.object({ missing: z.int(), duplicated: z.int(), differing: z.int(), extra: z.int() }),
  missing: z.array(MissingMessage),
  duplicated: z.array(DuplicatedMessage),
  differing: z.array(DifferingMessage),
  /**
   * Messages that are in the memory and not in the transcript: written by the system itself, or said in another
   * session. They are no fault by themselves.
   */
  extra: z.array(ExtraMessage),
  /** Texts of the records of the transcript that are nowhere in the memory. At most 1,000 are listed. */
  lostTextCount: z.int(),
  lostTexts: z.array(LostText),
  /** The number of lines that the reader could not use. Those that look like messages are stored as they are. */
  skippedLines: z.int(),
  /** What was left out of the comparison, and why; and where a resume would not load all of the transcript. */
  notes: z.array(z.string()),
  durationMs: z.number(),
})
export type CoverageReport = z.infer<typeof CoverageReport>
