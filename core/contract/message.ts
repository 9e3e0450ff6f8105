import { z } from 'zod'
import { ConversationId, NodeId, PartType, Role, TimeMs, Visibility } from './ids.ts'

/**
 * What an agent removed from its window by itself without a summary. The memory has it, and the model does not see it
 * any more.
 */
export const Pruned = z.object({
  atMs: TimeMs,
  /** What the agent did: `microcompaction`, `pruning`, `masking`, `elision`, `omission`, `branch`, `removal`. */
  by: z.string(),
  /** The tokens that left the window. 0 when the transcript has only what replaced it. */
  tokens: z.int(),
  /** The text that the model sees instead. Null when there is none, or when it differs between parts. */
  seen: z.string().nullable(),
})
export type Pruned = z.infer<typeof Pruned>

/** What one pruning removed. */
export const PrunedRun = z.object({
  by: z.string(),
  /** The number of parts of messages. */
  outputs: z.int(),
  /** The tokens that left the window then. */
  tokens: z.int(),
})
export type PrunedRun = z.infer<typeof PrunedRun>

/** What a part records beside its texts. Only what it has is there. */
export const PartDetails = z
  .object({
    /** The agent shows it to its user and does not send it to the model. */
    ignored: z.literal(true),
    /** What the agent called the call of a tool. */
    toolTitle: z.string(),
    patchHash: z.string(),
    /** The paths as they are stored, most often a JSON array. */
    patchFiles: z.string(),
    subtaskPrompt: z.string(),
    subtaskDesc: z.string(),
    subtaskAgent: z.string(),
    stepReason: z.string(),
    /** In the agent's currency. */
    stepCost: z.number(),
    stepTokensIn: z.int(),
    stepTokensOut: z.int(),
    snapshotHash: z.string(),
    /** A threshold started the compaction (true) or a user (false). */
    compactionAuto: z.boolean(),
  })
  .partial()
export type PartDetails = z.infer<typeof PartDetails>

export const MessagePart = z.object({
  partId: z.string(),
  ordinal: z.int(),
  type: PartType,
  /** A text that the file stores once, as the `content` of the message, is repeated here. */
  text: z.string().nullable(),
  toolCallId: z.string().nullable(),
  toolName: z.string().nullable(),
  toolStatus: z.string().nullable(),
  /** The JSON text as it is stored. */
  toolInput: z.string().nullable(),
  /** Repeated here like `text` when it is the `content` of the message. */
  toolOutput: z.string().nullable(),
  toolError: z.string().nullable(),
  fileName: z.string().nullable(),
  fileMime: z.string().nullable(),
  /** The window never loads it and shows it as text. */
  fileUrl: z.string().nullable(),
  isSynthetic: z.boolean(),
  /** The JSON text as it is stored. */
  metadata: z.string().nullable(),
  details: PartDetails.optional(),
  /** Set when the model does not see the text of this part any more. */
  pruned: Pruned.optional(),
})
export type MessagePart = z.infer<typeof MessagePart>

/** A summary that covers a message, for the coverage gutter. */
export const Cover = z.object({ id: NodeId, depth: z.int(), inWindow: z.boolean() })
export type Cover = z.infer<typeof Cover>

export const Message = z.object({
  id: NodeId,
  conversationId: ConversationId,
  seq: z.int(),
  /** The position in the conversation by seq, which is the index of the row in the transcript. */
  position: z.int(),
  role: Role,
  content: z.string(),
  /** The length of the whole content in UTF-16 units. `content` may be cut to the limit of the page. */
  contentChars: z.int(),
  /**
   * True when `content`, or a text of its parts, was cut to the limit of the page. `transcript.message` returns all of
   * it.
   */
  isCut: z.boolean(),
  tokens: z.int(),
  createdAtMs: TimeMs.nullable(),
  parts: z.array(MessagePart),
  /** The summaries from the leaf upwards. */
  coveredBy: z.array(Cover),
  visibility: Visibility,
  /**
   * True when the row records an event (a compaction) and is no part of the conversation, so that nothing has to cover
   * it.
   */
  isEvent: z.boolean().optional(),
  /** What the model does not see of all parts of the message. `tokens` counts the whole message all the same. */
  pruned: Pruned.optional(),
})
export type Message = z.infer<typeof Message>

export const TranscriptPageInput = z.object({
  conversationId: ConversationId,
  offset: z.int().min(0).describe('messages to leave out, from the oldest'),
  limit: z.int().min(1).max(500).describe('messages a page'),
  contentChars: z.int().min(0).default(20_000).describe('characters of each message to return at most'),
})
export type TranscriptPageInput = z.infer<typeof TranscriptPageInput>

export const TranscriptPage = z.object({ total: z.int(), offset: z.int(), messages: z.array(Message) })
export type TranscriptPage = z.infer<typeof TranscriptPage>
