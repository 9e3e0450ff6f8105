import { z } from 'zod'
import { ConversationId, NodeId, Role, TimeMs } from './ids.ts'
import { PROBE_STATES } from './lists.ts'
import { DetailKind } from './loss.ts'
import { MessageEnds } from './retrieval.ts'
import { PresetName } from './settings.ts'
import { Moment } from './time-travel.ts'

/**
 * Whether an agent would know an answer. `in_window`: it stands in what the model sees. `by_search`: a search in the
 * words of the question finds it. `by_expanding`: only the summaries of the window lead to it. `changed`: the window
 * says something else in its place, so that nobody would look for it. `dropped`: nothing leads to it.
 */
export const ProbeState = z.enum(PROBE_STATES)
export type ProbeState = z.infer<typeof ProbeState>

/** What is asked for. `correction`: something that a user corrected; `given`: the question came with the call. */
export const QuestionKind = z.enum([...DetailKind.options, 'correction', 'given'])
export type QuestionKind = z.infer<typeof QuestionKind>

/** A line of a file of questions. Other fields are ignored. */
export const GivenQuestion = z.object({
  question: z.string().min(1).max(2000),
  answer: z.string().min(1).max(2000).optional().describe('the words that answer it'),
  evidence: z.array(NodeId).max(100).optional().describe('the messages that answer it'),
})
export type GivenQuestion = z.infer<typeof GivenQuestion>

/** At most this many questions are asked in one probe. */
export const MOST_GIVEN_QUESTIONS = 2000

/** Reads a line of JSON as a question. Returns null for any other line. */
export function questionOfLine(line: string): GivenQuestion | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  const parsed = GivenQuestion.safeParse(value)
  return parsed.success && parsed.data.question.trim() !== '' ? parsed.data : null
}

export const ProbeInput = z.object({
  conversationId: ConversationId,
  at: Moment.optional().describe('the window at this moment (default: now)'),
  questions: z
    .array(GivenQuestion)
    .min(1)
    .max(MOST_GIVEN_QUESTIONS)
    .optional()
    .describe('questions in place of those made here'),
  limit: z.int().min(1).max(500).default(60).describe('questions to make'),
  /** Questions are made of these messages only, and what answers other questions is looked for in them. */
  ...MessageEnds.shape,
})
export type ProbeInput = z.infer<typeof ProbeInput>

export const ProbedQuestion = z.object({
  question: z.string(),
  kind: QuestionKind,
  state: ProbeState,
  /** Searches and expansions until the answer is read: 0 in the window, null when nothing leads there. */
  steps: z.int().nullable(),
  /** The words that answer it, when they are known. */
  answer: z.string().nullable(),
  /** What the window says in their place. */
  instead: z.string().nullable(),
  /** The message that answers it, or null when none is known. */
  evidence: z
    .object({
      id: NodeId,
      role: Role.nullable(),
      seq: z.int().nullable(),
      /** Its place among the messages of the conversation, from 0. */
      position: z.int().nullable(),
      atMs: TimeMs.nullable(),
      text: z.string(),
    })
    .nullable(),
  /** The search that was made, and the hit that leads to the answer. */
  query: z.string().nullable(),
  hit: NodeId.nullable(),
  /** The summaries to expand on the way, the first one in the window or among the hits. */
  expand: z.array(NodeId),
  /**
   * The depth of the summary in the window that stands for the evidence, −1 when the evidence itself is in the window,
   * null when nothing in it stands for it.
   */
  depth: z.int().nullable(),
})
export type ProbedQuestion = z.infer<typeof ProbedQuestion>

export const ProbeSum = z.object({
  questions: z.int(),
  inWindow: z.int(),
  bySearch: z.int(),
  byExpanding: z.int(),
  changed: z.int(),
  dropped: z.int(),
  /** The share that is in the window or can be recovered. */
  recall: z.number(),
})
export type ProbeSum = z.infer<typeof ProbeSum>

export const ProbeReport = z.object({
  conversationId: ConversationId,
  /** The time of the moment, null for now. */
  atMs: TimeMs.nullable(),
  /** True when the file does not record the window of that moment, so that it was inferred. */
  reconstructed: z.boolean(),
  questions: z.array(ProbedQuestion),
  total: ProbeSum,
  byKind: z.array(ProbeSum.extend({ kind: QuestionKind })),
  byDepth: z.array(ProbeSum.extend({ depth: z.int().nullable() })),
  /** Null without a question. */
  recall: z.number().nullable(),
  notes: z.array(z.string()),
  tookMs: z.number(),
})
export type ProbeReport = z.infer<typeof ProbeReport>

/** A compaction that is tried on a copy. */
export const TriedCompaction = z.object({
  preset: PresetName.optional(),
  summarizer: z.string().max(200).optional(),
})
export type TriedCompaction = z.infer<typeof TriedCompaction>

/** Another window that is asked the same: at a moment, or after a compaction that is tried on a copy. */
export const ProbeWindow = z.union([z.object({ at: Moment }), z.object({ after: TriedCompaction })])
export type ProbeWindow = z.infer<typeof ProbeWindow>

/** A probe in the background, of one window or of several with the same questions. */
export const ProbeJobInput = ProbeInput.extend({
  compare: z.array(ProbeWindow).max(8).default([]).describe('other windows to ask the same'),
})
export type ProbeJobInput = z.infer<typeof ProbeJobInput>

export const NamedProbe = z.object({
  /** `now`, `at msg_12`, `after a compaction` … */
  name: z.string(),
  report: ProbeReport,
})
export type NamedProbe = z.infer<typeof NamedProbe>

/** What a probe in the background found. */
export const ProbeOutcome = z.object({
  /** What was asked for, without the questions of the caller. */
  asked: ProbeJobInput.omit({ questions: true }).extend({ isGiven: z.boolean() }),
  /** The first one is what was asked for; the others are compared with it, with the same questions in the same order. */
  reports: z.array(NamedProbe).min(1),
})
export type ProbeOutcome = z.infer<typeof ProbeOutcome>

export const ProbeDocumentInput = z.object({
  jobId: z.string().describe('the job of the probe'),
  format: z.enum(['markdown', 'html']).describe('how it is written'),
})
export type ProbeDocumentInput = z.infer<typeof ProbeDocumentInput>

export const ProbeDocument = z.object({ fileName: z.string(), mediaType: z.string(), text: z.string() })
export type ProbeDocument = z.infer<typeof ProbeDocument>
