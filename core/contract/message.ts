import { z } from 'zod'
import { ConversationId, NodeId, PartType, Role, TimeMs, Visibility } from './ids.ts'

/**
 * An agent took this out of its window by itself and put no summary in its place: the memory has it, the model does not
 * see it any more.
 */
export const Pruned = z.object({
  atMs: TimeMs,
  /** What the agent did: `microcompaction`, `pruning`, `masking`, `elision`. */
  by: z.string(),
  /** That left the window. 0 where the transcript has only what was put in its place. */
  tokens: z.int(),
  /** What the model sees instead; null when nothing, or not the same everywhere. */
  seen: z.string().nullable(),
})
export type Pruned = z.infer<typeof Pruned>

/** What one pruning took out. */
export const PrunedRun = z.object({
  by: z.string(),
  /** Parts of messages. */
  outputs: z.int(),
  /** That left the window then. */
  tokens: z.int(),
})
export type PrunedRun = z.infer<typeof PrunedRun>

export const MessagePart = z.object({
  partId: z.string(),
  ordinal: z.int(),
  type: PartType,
  /** Where the file keeps this text once, as the message's `content`, it is given here all the same. */
  text: z.string().nullable(),
  toolCallId: z.string().nullable(),
  toolName: z.string().nullable(),
  toolStatus: z.string().nullable(),
  /** JSON text as stored. */
  toolInput: z.string().nullable(),
  /** As `text`: given here although it may be the message's `content`. */
  toolOutput: z.string().nullable(),
  toolError: z.string().nullable(),
  fileName: z.string().nullable(),
  fileMime: z.string().nullable(),
  /** Never loaded by the window; shown as text. */
  fileUrl: z.string().nullable(),
  isSynthetic: z.boolean(),
  /** JSON text as stored. */
  metadata: z.string().nullable(),
  /** The model no longer sees this part's text. */
  pruned: Pruned.optional(),
})
export type MessagePart = z.infer<typeof MessagePart>

/** A summary that stands for a message, for the coverage gutter. */
export const Cover = z.object({ id: NodeId, depth: z.int(), inWindow: z.boolean() })
export type Cover = z.infer<typeof Cover>

export const Message = z.object({
  id: NodeId,
  conversationId: ConversationId,
  seq: z.int(),
  /** 0-based place in the conversation by seq; the index of the row in the transcript. */
  position: z.int(),
  role: Role,
  content: z.string(),
  /** Length of the whole content in UTF-16 units; `content` may be cut to the page's limit. */
  contentChars: z.int(),
  /** `content`, or a text of its parts, was cut to the page's limit: `transcript.message` gives all of it. */
  isCut: z.boolean(),
  tokens: z.int(),
  createdAtMs: TimeMs.nullable(),
  parts: z.array(MessagePart),
  /** From leaf upwards. */
  coveredBy: z.array(Cover),
  visibility: Visibility,
  /** The row records an event (a compaction) and is no part of the conversation: nothing has to cover it. */
  isEvent: z.boolean().optional(),
  /** Of all its parts that the model no longer sees. `tokens` counts the whole message all the same. */
  pruned: Pruned.optional(),
})
export type Message = z.infer<typeof Message>

export const TranscriptPage = z.object({ total: z.int(), offset: z.int(), messages: z.array(Message) })
export type TranscriptPage = z.infer<typeof TranscriptPage>
