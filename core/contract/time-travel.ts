import { z } from 'zod'
import { CreatedSummary } from './compaction.ts'
import { AssembledContext, AssembleInput, ContextItem } from './context.ts'
import { InConversation, NodeId, TimeMs } from './ids.ts'
import { PrunedRun } from './message.ts'

/** A moment of a conversation: after a message, after a compaction event, at the end of a run, or at a time. */
export const Moment = z
  .union([
    z.object({ messageId: NodeId }),
    z.object({ eventId: z.int() }),
    z.object({ runId: z.string() }),
    z.object({ atMs: TimeMs }),
    z.object({ now: z.literal(true) }),
  ])
  .meta({ title: 'moment', description: 'a time, or after msg_N, run_ID, or the event of this number' })
export type Moment = z.infer<typeof Moment>

/** A replacement in the window, for the time slider and the history of runs. */
export const CompactionEvent = z.object({
  /** In a file without a log, summaries count as events, numbered from 1 in the order of their creation. */
  eventId: z.int(),
  /** Empty in a file without a log. */
  runId: z.string(),
  atMs: TimeMs,
  /**
   * The number of messages that were stored before the event. It happened after the message at position `messages - 1`.
   */
  messages: z.int(),
  pass: z.enum(['leaf', 'condensed']),
  summaryId: NodeId,
  depth: z.int(),
  level: z.string(),
  removed: z.int(),
  sourceTokens: z.int(),
  tokens: z.int(),
  /** The tokens of all active items right after it, which is the window that the time slider shows there. */
  activeTokens: z.int(),
  durationMs: z.number(),
})
export type CompactionEvent = z.infer<typeof CompactionEvent>

/** An agent removed outputs from its window without a summary. */
export const Pruning = PrunedRun.extend({
  runId: z.string(),
  atMs: TimeMs,
  /** The number of messages that were stored before the pruning. */
  messages: z.int(),
})
export type Pruning = z.infer<typeof Pruning>

export const TimelineInput = InConversation.extend({
  fromEvent: z.int().min(0).default(0).describe('leave out so many events at the beginning'),
  limit: z.int().min(1).optional().describe('at most so many events; all of them by default'),
})
export type TimelineInput = z.input<typeof TimelineInput>

export const Timeline = z.object({
  firstAtMs: TimeMs.nullable(),
  lastAtMs: TimeMs.nullable(),
  messages: z.int(),
  /** True when the file keeps an event log. Otherwise moments are reconstructed from creation times. */
  isExact: z.boolean(),
  events: z.array(CompactionEvent),
  /** The `fromEvent` with which the next events are asked for. Absent when none follow. */
  nextEvent: z.int().optional(),
  /** What the agent removed from its window without a summary, oldest first. Absent when there is nothing. */
  prunings: z.array(Pruning).optional(),
  /**
   * Summaries that took nobody's place and are no events: by the rule of the system that wrote the file its window holds
   * every message. Absent where there are none such.
   */
  beside: z.int().optional(),
})
export type Timeline = z.infer<typeof Timeline>

export const CompactionMarksInput = InConversation.extend({
  from: z.int().min(0).describe('the position of the first message'),
  to: z.int().min(0).describe('the position after the last message'),
})
export type CompactionMarksInput = z.infer<typeof CompactionMarksInput>

/** A compaction at a position of the history. */
export const CompactionMark = z.object({
  /** The position of the message that was the newest when it ran. */
  position: z.int(),
  atMs: TimeMs,
  /** True when the file records it; otherwise it is derived from creation times. */
  isExact: z.boolean(),
  summaries: z.int(),
  /** The id of the last summary that it made. */
  summaryId: NodeId,
  /** Active tokens right after it. */
  activeTokens: z.int(),
})
export type CompactionMark = z.infer<typeof CompactionMark>

export const ContextAtInput = AssembleInput.extend({ moment: Moment })
export type ContextAtInput = z.infer<typeof ContextAtInput>

export const DifferenceInput = AssembleInput.extend({
  from: Moment.describe('the moment before'),
  to: Moment.describe('the moment after'),
})
export type DifferenceInput = z.infer<typeof DifferenceInput>

/** The window as it stood. `reconstructed` says whether the file records it or it was inferred. */
export const ContextAt = AssembledContext.extend({
  atMs: TimeMs.nullable(),
  /** Compaction events that had happened by then. */
  events: z.int(),
})
export type ContextAt = z.infer<typeof ContextAt>

export const ContextDifference = z.object({
  before: ContextAt.omit({ items: true }),
  after: ContextAt.omit({ items: true }),
  left: z.array(ContextItem),
  entered: z.array(ContextItem),
  stayed: z.int(),
})
export type ContextDifference = z.infer<typeof ContextDifference>

/** One call to a summariser for one node: every level that was tried, in order. */
export const Attempt = z.object({
  summarizer: z.string(),
  level: z.string(),
  model: z.string().nullable(),
  promptVersion: z.string().nullable(),
  tokens: z.int(),
  durationMs: z.number(),
  outcome: z.enum(['accepted', 'empty', 'not_smaller', 'failed', 'timeout', 'circuit_open', 'spend_cap', 'cancelled']),
  /** For people; holds no conversation text and no key. */
  reason: z.string().nullable(),
})
export type Attempt = z.infer<typeof Attempt>

export const RunsInput = InConversation.extend({
  runId: z.string().max(200).optional().describe('a single run'),
  created: z
    .enum(['listed', 'counted'])
    .default('listed')
    .describe('whether the summaries of a run are listed or counted'),
})
export type RunsInput = z.infer<typeof RunsInput>

export const CompactionRunRecord = z.object({
  runId: z.string(),
  reason: z.string(),
  mode: z.string(),
  summarizer: z.string(),
  owner: z.string(),
  startedAtMs: TimeMs,
  finishedAtMs: TimeMs.nullable(),
  tokensBefore: z.int(),
  tokensAfter: z.int().nullable(),
  stopReason: z.string().nullable(),
  created: z.array(CreatedSummary.extend({ attempts: z.array(Attempt), durationMs: z.number() })),
  /** How many it made, where they are not listed. */
  createdCount: z.int().optional(),
  /** Tokens sent to and received from models; zero for the deterministic summariser. */
  modelInputTokens: z.int(),
  modelOutputTokens: z.int(),
  cost: z.number().nullable(),
  /** Of a run by which an agent took outputs out of its window and put no summary in their place. */
  pruned: PrunedRun.optional(),
})
export type CompactionRunRecord = z.infer<typeof CompactionRunRecord>
