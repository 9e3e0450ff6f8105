import { z } from 'zod'
import { CompactionReason } from './compaction.ts'
import { ErrorCode } from './error.ts'
import { ConversationId, SummaryKind, SummaryLevel, TimeMs } from './ids.ts'
import { Job } from './job.ts'
import { LOG_LEVELS } from './lists.ts'

export const LineLevel = z.enum(['debug', 'info', 'warn', 'error'])
export type LineLevel = z.infer<typeof LineLevel>

/** The part of the program that a line of the log is from. */
export const LogSource = z.enum([
  'process',
  'call',
  'command',
  'mcp',
  'memory',
  'search',
  'expand',
  'compaction',
  'model',
  'integrity',
  'probe',
  'job',
])
export type LogSource = z.infer<typeof LogSource>

/** An id of a memory file in the log: the beginning of the SHA-256 of its path, so that no path is logged. */
const MemoryKey = z.string().regex(/^[0-9a-f]{12}$/)

const Label = z.string().max(120)
const Count = z.number()

/**
 * All fields that a line of the log may have. They hold ids, counts, times and words of closed lists: no text of a
 * message or a summary, no query, no key, no path.
 */
export const LogFields = z
  .object({
    memory: MemoryKey,
    conversation_id: ConversationId,
    /** The id of its agent when that is a UUID, otherwise the beginning of the id's SHA-256. */
    session_id: Label,
    /** The run of a compaction. */
    compaction_id: Label,
    summary_id: Label,
    trigger_reason: CompactionReason,
    /** Of a run: tokens in the window. Of a summary: tokens of its sources, and its own. */
    token_before: Count,
    token_after: Count,
    duration_ms: Count,
    /** How a run, a job, a call of a model or a command ended. */
    outcome: Label,
    error_code: ErrorCode,
    /** The class of an unexpected error. */
    error_name: Label,
    /** Where an unexpected error came from: names of functions with files and lines of this program. */
    stack: z.array(Label).max(30),
    kind: SummaryKind,
    depth: Count,
    summary_level: SummaryLevel,
    nodes: Count,
    hits: Count,
    mode: Label,
    scope: Label,
    messages: Count,
    summaries: Count,
    check: Label,
    severity: z.enum(['error', 'warning', 'info']),
    errors: Count,
    warnings: Count,
    count: Count,
    /** Of a probe: how much was asked for, and the share that would be known, from 0 to 1. */
    questions: Count,
    recall: Count,
    provider: Label,
    model: Label,
    tokens_in: Count,
    tokens_out: Count,
    cost: Count,
    job_id: Label,
    job_kind: Job.shape.kind,
    procedure: Label,
    command: Label,
    tool: Label,
    exit_code: Count,
    system: Label,
    access: Label,
    bytes: Count,
    version: Label,
    role: Label,
  })
  .partial()
export type LogFields = z.infer<typeof LogFields>

/** One line of the log. */
export const LogLine = z.object({
  time: z.iso.datetime(),
  level: LineLevel,
  source: LogSource,
  /** What happened: `run.done`, `call.failed` … */
  event: Label,
  pid: z.int(),
  ...LogFields.shape,
})
export type LogLine = z.infer<typeof LogLine>

/** What of the log is shown. Without a memory in the window, `this` shows nothing but lines without one. */
export const LogInput = z.object({
  of: z.enum(['this', 'all']).default('this').describe('lines of this memory and the program itself, or of all'),
  levels: z.array(LineLevel).min(1).default(['info', 'warn', 'error']).describe('lines of this level'),
  sources: z.array(LogSource).min(1).optional().describe('lines from this part of the program'),
  sinceMs: TimeMs.optional().describe('not before this time'),
  untilMs: TimeMs.optional().describe('not after this time'),
  query: z.string().max(200).default('').describe('words that a line has to hold; -word must not be there'),
  limit: z.int().min(1).max(1000).default(200).describe('lines a page'),
  cursor: z.string().optional().describe('go on from an earlier answer'),
})
export type LogInput = z.infer<typeof LogInput>

export const LogPage = z.object({
  /** Newest first. */
  lines: z.array(LogLine),
  nextCursor: z.string().nullable(),
  /** Lines of each level that fit the rest of the question, as far as the page was read. */
  counts: z.record(LineLevel, z.int()),
  folder: z.string(),
  bytes: z.int(),
  /** The log takes no more than this, and is kept this long. */
  mostBytes: z.int(),
  days: z.int(),
  /** The level from which on this window's program logs. */
  level: z.enum(LOG_LEVELS),
  /** Says why nothing can be read or written, or null. */
  problem: z.string().nullable(),
})
export type LogPage = z.infer<typeof LogPage>

const Latency = z.object({
  /** Of this part of the time, in which it says how long calls took. */
  fromMs: TimeMs,
  toMs: TimeMs,
  count: z.int(),
  /** Estimated from the buckets of the histogram. */
  p50Ms: z.number(),
  p95Ms: z.number(),
})
export type Latency = z.infer<typeof Latency>

/** What happened in some time, for charts and lists. Everything is oldest first. */
export const ActivityHistory = z.object({
  fromMs: TimeMs,
  toMs: TimeMs,
  runs: z.array(
    z.object({
      atMs: TimeMs,
      runId: z.string(),
      conversationId: ConversationId.nullable(),
      reason: z.string(),
      outcome: z.string(),
      isFailed: z.boolean(),
      tokensBefore: z.number(),
      tokensAfter: z.number(),
      nodes: z.number(),
      durationMs: z.number(),
    }),
  ),
  scans: z.array(z.object({ atMs: TimeMs, errors: z.int(), warnings: z.int(), durationMs: z.number() })),
  probes: z.array(
    z.object({
      atMs: TimeMs,
      conversationId: ConversationId.nullable(),
      questions: z.int(),
      /** The share of the answers that are in the window or can be recovered, from 0 to 1. */
      recall: z.number(),
    }),
  ),
  search: z.array(Latency),
  expand: z.array(Latency),
  slowCalls: z.array(z.object({ atMs: TimeMs, procedure: z.string(), durationMs: z.number() })),
  jobs: z.array(
    z.object({
      jobId: z.string(),
      kind: Job.shape.kind,
      conversationId: ConversationId.nullable(),
      startedAtMs: TimeMs,
      /** Null while it runs, and when its program ended before it did. */
      finishedAtMs: TimeMs.nullable(),
      state: z.enum(['running', 'done', 'failed', 'cancelled', 'cut_off']),
      errorCode: ErrorCode.nullable(),
    }),
  ),
  /** Says why the counts cannot be read or written, or null. */
  problem: z.string().nullable(),
})
export type ActivityHistory = z.infer<typeof ActivityHistory>

export const ActivityInput = z.object({
  days: z.int().min(1).max(30).default(6).describe('how far back'),
  of: z.enum(['this', 'all']).default('this').describe('of this memory, or of all'),
})
export type ActivityInput = z.infer<typeof ActivityInput>
