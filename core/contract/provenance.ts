import { z } from 'zod'
import { ConversationId, NodeId, Role, SummaryId, TimeMs } from './ids.ts'

export const ProvenanceInput = z.object({
  summaryId: SummaryId.describe('the summary'),
  /** A range of the summary's text in UTF-16 units, end exclusive. Without it, the whole text. */
  from: z.int().min(0).optional().describe('only from this character of its text on'),
  to: z.int().min(1).optional().describe('only up to this character'),
  /** The number of passages for each claim, of messages and of source summaries each. */
  limit: z.int().min(1).max(20).default(3).describe('passages a sentence'),
})
export type ProvenanceInput = z.infer<typeof ProvenanceInput>

/** How well the sources support a claim, see the thresholds of the answer. It says nothing about truth. */
export const Support = z.enum(['supported', 'weak', 'none'])
export type Support = z.infer<typeof Support>

export const SpecificKind = z.enum([
  'quote',
  'url',
  'path',
  'hash',
  'identifier',
  'code',
  'version',
  'date',
  'time',
  'number',
  'name',
])
export type SpecificKind = z.infer<typeof SpecificKind>

/**
 * Where a specific of a claim is found: in the passages that support the claim, only elsewhere in the sources about
 * something else, only in a source summary and in no message below, or nowhere.
 */
export const Standing = z.enum(['matched', 'elsewhere', 'source_only', 'nowhere'])
export type Standing = z.infer<typeof Standing>

/** A place in a text of a message or summary. */
export const SourcePlace = z.object({
  id: NodeId,
  /** Names the text: `part` is the ordinal of the message's part, null for its content and for summaries. */
  field: z.enum(['content', 'tool_input', 'tool_output', 'reasoning']),
  part: z.int().nullable(),
  /** UTF-16 units of that text, end exclusive. */
  start: z.int(),
  end: z.int(),
})
export type SourcePlace = z.infer<typeof SourcePlace>

/** Something in a claim that is right or wrong to the letter. */
export const ClaimSpecific = z.object({
  kind: SpecificKind,
  text: z.string(),
  /** The offset in the summary's text. */
  start: z.int(),
  end: z.int(),
  standing: Standing,
  /**
   * A place where it is found. Null when it is found nowhere, and for times that only the clocks of the messages have.
   */
  at: SourcePlace.nullable(),
  /** What the best passage says instead, or null when it has nothing of this kind. */
  instead: z.string().nullable(),
})
export type ClaimSpecific = z.infer<typeof ClaimSpecific>

export const PassageMatch = z.object({
  /** The text in the summary. */
  text: z.string(),
  kind: z.enum(['word', 'specific']),
  /** The offset in the summary's text. */
  claimStart: z.int(),
  claimEnd: z.int(),
  /** The offset in the source's text. */
  start: z.int(),
  end: z.int(),
})
export type PassageMatch = z.infer<typeof PassageMatch>

/** A range of a source that may support a claim. `start` and `end` are those of the whole range. */
export const Passage = SourcePlace.extend({
  kind: z.enum(['message', 'summary']),
  conversationId: ConversationId,
  seq: z.int().nullable(),
  role: Role.nullable(),
  depth: z.int().nullable(),
  createdAtMs: TimeMs.nullable(),
  /** The text of the range. */
  excerpt: z.string(),
  score: z.number().min(0).max(1),
  matches: z.array(PassageMatch),
  /** One sentence for people. */
  why: z.string(),
})
export type Passage = z.infer<typeof Passage>

export const ProvenanceClaim = z.object({
  kind: z.enum(['sentence', 'bullet', 'heading', 'code']),
  text: z.string(),
  /** The offset in the summary's text. */
  start: z.int(),
  end: z.int(),
  support: Support,
  /** The score of the messages below, 0 when none was found. */
  score: z.number().min(0).max(1),
  /** The score of the source summaries, or null for a summary without any. */
  sourceScore: z.number().min(0).max(1).nullable(),
  /** Says in one or two sentences why it counts as supported or not. */
  why: z.string(),
  specifics: z.array(ClaimSpecific),
  /** The specifics that no message below contains. */
  invented: z.array(ClaimSpecific),
  /** The passages, best first, of messages and source summaries together. */
  passages: z.array(Passage),
})
export type ProvenanceClaim = z.infer<typeof ProvenanceClaim>

export const Provenance = z.object({
  summaryId: NodeId,
  kind: z.enum(['leaf', 'condensed']),
  conversationId: ConversationId,
  contentChars: z.int(),
  claims: z.array(ProvenanceClaim),
  counts: z.object({ supported: z.int(), weak: z.int(), none: z.int(), invented: z.int() }),
  /** A claim with at least the score `supported` is supported, and one with at least `weak` is weak. */
  thresholds: z.object({ supported: z.number(), weak: z.number() }),
  searched: z.object({
    /** The number of messages below, and how many of them were read. */
    messages: z.int(),
    messagesRead: z.int(),
    summaries: z.int(),
    chars: z.int(),
    /**
     * False when not every message was read, because the full-text search chose those that share words with a claim.
     */
    isComplete: z.boolean(),
  }),
  /** Says what limits the answer: missing sources, or too much text to read all of it. */
  notes: z.array(z.string()),
  tookMs: z.number(),
})
export type Provenance = z.infer<typeof Provenance>
