import { z } from 'zod'
import { ConversationId, NodeId, TimeMs } from './ids.ts'
import { TriedCompaction } from './probe.ts'
import { Moment } from './time-travel.ts'

/** One side of a comparison: a conversation as it is, as it was, or as a compaction that is tried on a copy leaves it. */
export const ComparedWindow = z.object({
  path: z.string().min(1).max(4096).optional().describe('a memory file (default: the one that is open)'),
  conversationId: ConversationId.optional().describe(
    'the conversation (default: the only one of its file, or on side B the one with the same session)',
  ),
  at: Moment.optional().describe('the conversation at this moment (default: now)'),
  after: TriedCompaction.optional().describe('after a compaction, tried on a copy'),
})
export type ComparedWindow = z.infer<typeof ComparedWindow>

export const ComparisonInput = z.object({
  a: ComparedWindow.describe('one side'),
  b: ComparedWindow.describe('the other side'),
  limit: z.int().min(1).max(2000).default(500).describe('differences to list'),
})
export type ComparisonInput = z.infer<typeof ComparisonInput>

/**
 * How a summary stands to the other side. `same`: its text, depth and messages are those of a summary there.
 * `different`: a summary there stands for about the same messages, in other words or with other bounds. `only`: nothing
 * there comes near to it.
 */
export const ComparedState = z.enum(['same', 'different', 'only'])
export type ComparedState = z.infer<typeof ComparedState>

/** Summaries in columns, by depth and place. Places are those of the axis that both sides share. */
const ComparedLayers = z.object({
  id: z.array(NodeId),
  depth: z.array(z.int()),
  /** The first and the last place of the messages that it stands for. */
  first: z.array(z.int()),
  last: z.array(z.int()),
  tokens: z.array(z.int()),
  inWindow: z.array(z.boolean()),
  /** Its first sentence that says something. */
  title: z.array(z.string()),
  state: z.array(ComparedState),
  /** The index of its partner on the other side, or −1. */
  partner: z.array(z.int()),
})

export const ComparedSide = z.object({
  path: z.string(),
  /** What is compared of it: `now`, `at msg_12`, `after a compaction` … */
  name: z.string(),
  systemLabel: z.string(),
  conversationId: ConversationId,
  title: z.string().nullable(),
  messages: z.int(),
  summaries: z.int(),
  maxDepth: z.int().nullable(),
  /** Of everything in the window, with what a fork inherits, whether or not the model is given it. */
  windowItems: z.int(),
  windowTokens: z.int(),
  /** What of that the model is not given. */
  leftOutItems: z.int(),
  leftOutTokens: z.int(),
  /** True when the file does not record the window of that moment, so that it was inferred. */
  reconstructed: z.boolean(),
  layers: ComparedLayers,
  /** What the window holds, by place: a summary, or a run of messages (null). */
  window: z.array(z.object({ first: z.int(), last: z.int(), id: NodeId.nullable() })),
})
export type ComparedSide = z.infer<typeof ComparedSide>

/** What one side has where the two differ. */
export const ComparedEntry = z.object({
  /** A summary, or the first of some messages. */
  id: NodeId,
  /** −1 for messages. */
  depth: z.int(),
  messages: z.int(),
  tokens: z.int(),
  createdAtMs: TimeMs.nullable(),
  /** Its first sentence that says something. */
  title: z.string(),
  /** The details of its messages, and how many of them stand in it. Null where they were not counted. */
  details: z.int().nullable(),
  kept: z.int().nullable(),
  /** The text of a summary as far as it is shown, empty for messages. */
  text: z.string(),
  isCut: z.boolean(),
  /** Ranges of the text (UTF-16 units, end exclusive) that the other text does not say. Empty without another text. */
  marks: z.array(z.tuple([z.int(), z.int()])),
})
export type ComparedEntry = z.infer<typeof ComparedEntry>

/**
 * `summary`: summaries of about the same messages, or one without a partner. `window`: messages or a
 * summary that both have, and of which only one has them in its window. `messages`: messages that only one side has.
 */
export const Difference = z.object({
  kind: z.enum(['differently', 'only_a', 'only_b']),
  what: z.enum(['summary', 'window', 'messages']),
  /** Places of the shared axis, end inclusive. */
  first: z.int(),
  last: z.int(),
  a: ComparedEntry.nullable(),
  b: ComparedEntry.nullable(),
})
export type Difference = z.infer<typeof Difference>

/** Two conversations, or one at two moments, on one axis of messages. */
export const Comparison = z.object({
  a: ComparedSide,
  b: ComparedSide,
  /** Nothing differs. */
  isSame: z.boolean(),
  same: z.object({ messages: z.int(), summaries: z.int() }),
  /** The number of places: messages that both have, and those that one of them has. */
  places: z.int(),
  /** Runs of places, with the position of the first message on each side, or null where that side has none. */
  runs: z.array(z.object({ first: z.int(), last: z.int(), a: z.int().nullable(), b: z.int().nullable() })),
  /** The times of some places, for the axis. */
  ticks: z.array(z.object({ place: z.int(), atMs: TimeMs })),
  /**
   * Details of messages in columns of equal width in places: how many there are, and how many stand in each window. Null
   * where there is more text than is compared.
   */
  details: z.object({ width: z.int(), details: z.array(z.int()), a: z.array(z.int()), b: z.array(z.int()) }).nullable(),
  /** By place. The counts are of all, also of those beyond the limit. */
  differences: z.array(Difference),
  counts: z.object({ onlyA: z.int(), onlyB: z.int(), differently: z.int() }),
  notes: z.array(z.string()),
  tookMs: z.number(),
})
export type Comparison = z.infer<typeof Comparison>
