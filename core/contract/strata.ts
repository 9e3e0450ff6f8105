import { z } from 'zod'
import { ConversationId, FreshTailCount, InConversation, NodeId, TimeMs } from './ids.ts'
import { STRATA_AXES } from './lists.ts'

/**
 * The unit of x: one message, one token, or one millisecond. On the time axis clocks never run backwards (a message
 * with an impossible time is placed at the one before it), and messages of the same second are spread evenly within it.
 */
export const StrataAxis = z.enum(STRATA_AXES).describe('the unit of x')
export type StrataAxis = z.infer<typeof StrataAxis>

export const StrataInput = InConversation.extend({
  axis: StrataAxis,
  freshTailCount: FreshTailCount,
})
export type StrataInput = z.infer<typeof StrataInput>

/** A range of x in units of the axis, or all of it, and into how many columns of equal width it is divided. */
export const StrataMessagesInput = InConversation.extend({
  axis: StrataAxis,
  x0: z.number().describe('where the range begins'),
  x1: z.number().optional().describe('where the range ends; by default where the axis ends'),
  buckets: z.int().min(1).max(8192).describe('parts of the range'),
})
export type StrataMessagesInput = z.infer<typeof StrataMessagesInput>

/** Summaries in columns, ordered by depth, then x0. All arrays have the same length. */
const StrataSummaries = z.object({
  id: z.array(NodeId),
  depth: z.array(z.int()),
  x0: z.array(z.number()),
  x1: z.array(z.number()),
  tokens: z.array(z.int()),
  sourceTokens: z.array(z.int()),
  messages: z.array(z.int()),
  createdAtMs: z.array(TimeMs.nullable()),
  /** An index into SummaryLevel.options. */
  level: z.array(z.int()),
  /** 1 when the summary itself is in the window. */
  inWindow: z.array(z.int()),
})

/** A range of the history along the top edge: one active summary, or a run of active raw messages. */
const WindowRun = z.object({
  x0: z.number(),
  x1: z.number(),
  id: NodeId.nullable(),
  /** −1 for raw messages. */
  depth: z.int(),
  items: z.int(),
  tokens: z.int(),
  /**
   * True when it is left out of the assembled window, so that the model does not see it. Absent when it is included.
   */
  isLeftOut: z.literal(true).optional(),
})

/** Something wrong or remarkable over a range of the history. */
const StrataMark = z.object({
  kind: z.enum(['uncovered', 'double_coverage']),
  x0: z.number(),
  x1: z.number(),
  messages: z.int(),
  firstId: NodeId,
})

export const Strata = z.object({
  conversationId: ConversationId,
  axis: StrataAxis,
  /** x runs from 0 to `extent`, in units of the axis (time: milliseconds since `originMs`). */
  extent: z.number(),
  originMs: TimeMs.nullable(),
  totalMessages: z.int(),
  totalTokens: z.int(),
  maxDepth: z.int(),
  summaries: StrataSummaries,
  window: z.array(WindowRun),
  /** x where the fresh tail begins. It equals `extent` when there is none. */
  freshTailX: z.number(),
  marks: z.array(StrataMark),
  /** Where compaction runs took place: x of the newest message at that time. */
  runs: z.array(z.object({ x: z.number(), runId: z.string(), atMs: TimeMs })),
  /** Round UTC times along x, at most 24: days, hours, or minutes of a short history. */
  ticks: z.array(z.object({ x: z.number(), atMs: TimeMs })),
})
export type Strata = z.infer<typeof Strata>

/** The messages of a range of x, merged into at most `buckets` columns. Nothing is dropped. */
export const StrataMessages = z.object({
  x0: z.array(z.number()),
  x1: z.array(z.number()),
  count: z.array(z.int()),
  tokens: z.array(z.int()),
  maxTokens: z.array(z.int()),
  /** The role with the most tokens in the bucket, as an index into ROLES. */
  role: z.array(z.int()),
  /** The number of messages in the bucket that are in the window themselves. */
  inWindow: z.array(z.int()),
  /** The message number (msg_<n>) of the first message in the bucket. */
  firstMessage: z.array(z.int()),
  /** The time at x = 0, in an answer about a time axis to its end. Absent when no message has a time. */
  originMs: TimeMs.optional(),
})
export type StrataMessages = z.infer<typeof StrataMessages>
