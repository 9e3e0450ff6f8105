import { z } from 'zod'
import { ConversationId, NodeId, Role, SummaryId, TimeMs } from './ids.ts'

export const ProvenanceInput = z.object({
  summaryId: SummaryId,
  /** A stretch of the summary's text, UTF-16 units, end exclusive; all of it without them. */
  from: z.int().min(0).optional(),
  to: z.int().min(1).optional(),
  /** Passages shown for each claim, of messages and of source summaries each. */
  limit: z.int().min(1).max(20).default(3),
})
export type ProvenanceInput = z.infer<typeof ProvenanceInput>

/** How well the sources carry a claim: see the thresholds of the answer. It says nothing about truth. */
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
 * Where a specific of a claim stands: in the passages that carry the claim; only elsewhere in the sources, about something
 * else; only in a source summary and in none of the messages beneath; nowhere.
 */
export const Standing = z.enum(['matched', 'elsewhere', 'source_only', 'nowhere'])
export type Standing = z.infer<typeof Standing>

/** A place in a text of a message or summary. */
export const SourcePlace = z.object({
  id: NodeId,
  /** Which text: `part` is the ordinal of the message's part, null for its content and for summaries. */
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
  /** In the summary's text. */
  start: z.int(),
  end: z.int(),
  standing: Standing,
  /** A place where it stands; null for what stands nowhere, and for times that only the messages' clocks know. */
  at: SourcePlace.nullable(),
  /** What the best passage says in its place; null when nothing there is of its kind. */
  instead: z.string().nullable(),
})
export type ClaimSpecific = z.infer<typeof ClaimSpecific>

export const PassageMatch = z.object({
  /** As the summary has it. */
  text: z.string(),
  kind: z.enum(['word', 'specific']),
  /** In the summary's text. */
  claimStart: z.int(),
  claimEnd: z.int(),
  /** In the source's text. */
  start: z.int(),
  end: z.int(),
})
export type PassageMatch = z.infer<typeof PassageMatch>

/** A stretch of a source that a claim may rest on. `start` and `end` are those of the whole stretch. */
export const Passage = SourcePlace.extend({
  kind: z.enum(['message', 'summary']),
  conversationId: ConversationId,
  seq: z.int().nullable(),
  role: Role.nullable(),
  depth: z.int().nullable(),
  createdAtMs: TimeMs.nullable(),
  /** The stretch itself. */
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
  /** In the summary's text. */
  start: z.int(),
  end: z.int(),
  support: Support,
  /** Of the messages beneath; 0 where none was found. */
  score: z.number().min(0).max(1),
  /** Of the source summaries; null for a summary that has none. */
  sourceScore: z.number().min(0).max(1).nullable(),
  /** One or two sentences for people: why it counts as supported or not. */
  why: z.string(),
  specifics: z.array(ClaimSpecific),
  /** Those of the specifics that no message beneath holds. */
  invented: z.array(ClaimSpecific),
  /** Best first, messages and source summaries together. */
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
  /** A claim from `supported` on counts as supported, from `weak` on as weak. */
  thresholds: z.object({ supported: z.number(), weak: z.number() }),
  searched: z.object({
    /** Messages beneath, and how many of them were read. */
    messages: z.int(),
    messagesRead: z.int(),
    summaries: z.int(),
    chars: z.int(),
    /** Not every message was read: the full-text search chose those that share words with a claim. */
    isComplete: z.boolean(),
  }),
  /** Said when something limits the answer: sources that are missing, too much text to read all of it. */
  notes: z.array(z.string()),
  tookMs: z.number(),
})
export type Provenance = z.infer<typeof Provenance>
