import { z } from 'zod'
import { ConversationId, NodeId, Role, TimeMs } from './ids.ts'
import { DetailFate, DetailKind } from './loss.ts'
import { MessageEnds } from './retrieval.ts'
import { Moment } from './time-travel.ts'

/**
 * What became of a detail by now. `left_out` means that items of the window have it, and that the model is given none of
 * them.
 */
export const TracedFate = z.enum([...DetailFate.options, 'left_out'])
export type TracedFate = z.infer<typeof TracedFate>

/** The same of several details together. `partly`: some of them stand there. */
export const FactState = z.enum(['kept', 'partly', 'dropped', 'changed', 'unknown', 'left_out'])
export type FactState = z.infer<typeof FactState>

/** A text of a message or summary. */
const TextField = z.enum(['content', 'tool_input', 'tool_output', 'reasoning'])

/** Where a detail stands in a message or summary. */
const DetailPlace = z.object({
  id: NodeId,
  field: TextField,
  part: z.int().nullable(),
  /** UTF-16 units of that text, end exclusive. */
  start: z.int(),
  end: z.int(),
})

/** The summary at which something was lost, and the compaction that made it. */
const LostAt = z.object({
  id: NodeId,
  depth: z.int(),
  /** Null in a file that records no runs. */
  runId: z.string().nullable(),
  /** Number of the run in its conversation, from 1 on. */
  run: z.int().nullable(),
  atMs: TimeMs.nullable(),
  /** The number of sources that the summary was made from. */
  sources: z.int(),
})
export type LostAt = z.infer<typeof LostAt>

export const TracedDetail = z.object({
  kind: DetailKind,
  text: z.string(),
  /** Null for words of a question that stand in no message. */
  at: DetailPlace.nullable(),
  /** What became of it in what the model is given, whichever way it got there. */
  fate: TracedFate,
  /** What stands in its place, if that is another value. */
  instead: z.string().nullable(),
  /** Where it fell on the way to the window, or null when it did not. */
  lostAt: LostAt.nullable(),
})
export type TracedDetail = z.infer<typeof TracedDetail>

/** One node on the way from a message to the window. */
export const Rung = z.object({
  /** Null for the window. */
  id: NodeId.nullable(),
  kind: z.enum(['message', 'leaf', 'condensed', 'window']),
  /** −1 for a message, null for the window. */
  depth: z.int().nullable(),
  role: Role.nullable(),
  seq: z.int().nullable(),
  state: FactState,
  /** How many of the details stand in it. */
  kept: z.int(),
  details: z.int(),
  runId: z.string().nullable(),
  run: z.int().nullable(),
  atMs: TimeMs.nullable(),
  /** Whether the model is given it. */
  inWindow: z.boolean(),
  tokens: z.int(),
  /** The number of messages that it stands for, and their first and last seq. */
  messages: z.int(),
  firstSeq: z.int().nullable(),
  lastSeq: z.int().nullable(),
  sources: z.int(),
  /** Its first sentence that says something. */
  title: z.string(),
  /** The passage in which the details stand, or that comes nearest to them. */
  excerpt: z.string(),
  /** The field of the message or summary from which the excerpt is; null where there is none. */
  field: TextField.nullable(),
  /** Ranges of the excerpt in which details stand. */
  marks: z.array(z.tuple([z.int(), z.int()])),
  /** The details that stand in the rung before it and not in this one. */
  lost: z.array(z.string()),
})
export type Rung = z.infer<typeof Rung>

/** A message or summary that says what is traced. */
export const FactPlace = z.object({
  id: NodeId,
  kind: z.enum(['message', 'leaf', 'condensed']),
  conversationId: ConversationId,
  role: Role.nullable(),
  depth: z.int().nullable(),
  seq: z.int().nullable(),
  createdAtMs: TimeMs.nullable(),
  excerpt: z.string(),
  field: TextField.nullable(),
  marks: z.array(z.tuple([z.int(), z.int()])),
  /** How many of the details it has, and how many of those the model is given, by itself included. */
  details: z.int(),
  kept: z.int(),
  state: FactState,
  /** Whether the model is given it. */
  inWindow: z.boolean(),
  lostAt: LostAt.nullable(),
})
export type FactPlace = z.infer<typeof FactPlace>

/** A way to have the details in the window again. */
export const Recovery = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('expand'),
    /** The summaries to expand, one after the other, and at the end what the details stand in. */
    steps: z.array(z.object({ id: NodeId, depth: z.int(), tokens: z.int(), sources: z.int() })),
    /** What is read on the way. */
    tokens: z.int(),
  }),
  z.object({
    kind: z.literal('search'),
    query: z.string(),
    /** The number of hits, or the least that it may be. */
    hits: z.int(),
    hitsAreExact: z.boolean(),
    /** Which of the hits is the first that has the details, counted from 1. */
    place: z.int(),
    id: NodeId,
    tokens: z.int(),
  }),
])
export type Recovery = z.infer<typeof Recovery>

export const TraceInput = z.object({
  id: NodeId.optional().describe('a message or summary'),
  text: z.string().min(1).max(4000).optional().describe('words or a detail; with an id, only these words of it'),
  conversationId: ConversationId.optional(),
  /** Words are looked for in these messages only, and in summaries that cover any of them. */
  ...MessageEnds.shape,
  limit: z.int().min(1).max(50).default(12).describe('places that say it'),
  /** Searching for what would find it takes most of the time in a large memory. */
  ladderOnly: z.boolean().optional().describe('without the ways to have it back'),
})
export type TraceInput = z.infer<typeof TraceInput>

export const FactTrace = z.object({
  /** What is traced, in words. */
  detail: z.string(),
  /** The message or summary from which the ladder leads to the window, or null when nothing says it. */
  id: NodeId.nullable(),
  conversationId: ConversationId.nullable(),
  details: z.array(TracedDetail),
  /** From the message to the window. */
  ladder: z.array(Rung),
  /** Other summaries that stand for it, beside that way. */
  others: z.array(Rung),
  /** What became of it in what the model is given, whichever way it got there. */
  state: FactState,
  /** Whether the model is given all of it. */
  inWindow: z.boolean(),
  lostAt: LostAt.nullable(),
  /** What the model is given outside of the ladder that says it, too. */
  toldAgain: z.array(
    z.object({ id: NodeId, kind: z.enum(['message', 'leaf', 'condensed']), atMs: TimeMs.nullable(), kept: z.int() }),
  ),
  /** When it stood in the window, as far as the times are known. Null: still. */
  stood: z.array(z.object({ fromAtMs: TimeMs, toAtMs: TimeMs.nullable(), id: NodeId })),
  /** Everything that says it, newest first. Empty when an id was asked about. */
  places: z.array(FactPlace),
  wayBack: z.array(Recovery),
  /** What limits the answer. */
  notes: z.array(z.string()),
  tookMs: z.number(),
})
export type FactTrace = z.infer<typeof FactTrace>

export const FactStatesInput = z.object({
  ids: z.array(NodeId).min(1).max(100).describe('messages and summaries'),
  text: z.string().min(1).max(4000).optional().describe('only what they say of these words, each on its own way'),
  budgetMs: z.int().min(1).max(5000).default(500).describe('milliseconds after which no further one is begun'),
})
export type FactStatesInput = z.infer<typeof FactStatesInput>

/**
 * What became of messages and summaries in what the model is given, as a trace of each says it. Of words, it is what
 * became of them on the way from this place: another one may say them, too.
 */
export const FactStates = z.object({
  /** In the order of the ids. Those that the budget did not reach are missing at the end: ask for them again. */
  states: z.array(
    z.object({
      id: NodeId,
      /** `kept` for what the model is given itself, `unknown` for what has no detail that could be followed. */
      state: FactState,
      /** The number of its details, and how many of them the model is given. Both are 0 when `inWindow` is true. */
      details: z.int(),
      kept: z.int(),
      inWindow: z.boolean(),
    }),
  ),
  tookMs: z.number(),
})
export type FactStates = z.infer<typeof FactStates>

export const SurvivalInput = z.object({
  conversationId: ConversationId,
  offset: z.int().min(0).default(0).describe('messages to leave out'),
  limit: z.int().min(0).max(10_000).default(1000).describe('messages to return'),
})
export type SurvivalInput = z.infer<typeof SurvivalInput>

/** For messages in their order, in columns: how many details each has, and how many of them the model is given. */
export const Survival = z.object({
  conversationId: ConversationId,
  messages: z.int(),
  offset: z.int(),
  id: z.array(NodeId),
  /** −1 for a message that the model is given itself. */
  details: z.array(z.int()),
  kept: z.array(z.int()),
  /** The sums over the whole conversation, without what the model is given itself. */
  totalDetails: z.int(),
  totalKept: z.int(),
  notes: z.array(z.string()),
})
export type Survival = z.infer<typeof Survival>

const MOST_COLUMNS = 8192

/** Columns of messages that follow each other, as the strata have them. */
export const SurvivalColumnsInput = z.object({
  conversationId: ConversationId,
  firstMessages: z.array(z.int()).max(MOST_COLUMNS).describe('the number of the first message of a column'),
  counts: z.array(z.int().min(1)).max(MOST_COLUMNS).describe('messages of a column'),
})
export type SurvivalColumnsInput = z.infer<typeof SurvivalColumnsInput>

/** For each column: how many details those of its messages have that the model is not given, and how many of these it is. */
export const SurvivalColumns = z.object({ details: z.array(z.int()), kept: z.array(z.int()) })
export type SurvivalColumns = z.infer<typeof SurvivalColumns>

export const LossInput = z.object({
  conversationId: ConversationId,
  from: Moment.optional().describe('the moment before (default: before the last compaction)'),
  to: Moment.optional().describe('the moment after (default: now)'),
  runId: z.string().min(1).max(512).optional().describe('what this compaction run lost, in place of two moments'),
  summaryId: NodeId.optional().describe('what fell when this summary was made, in place of two moments'),
  fromMessage: NodeId.optional().meta({
    description: 'what fell of the messages from this one on, in place of two moments',
    value: 'message',
  }),
  toMessage: NodeId.optional().meta({ description: 'what fell of the messages up to this one', value: 'message' }),
  limit: z.int().min(1).max(2000).default(200).describe('details of each list'),
})
export type LossInput = z.infer<typeof LossInput>
