import { z } from 'zod'
import { ConversationId, NodeId, Role, SummaryId, TimeMs } from './ids.ts'

export const GrepInput = z.object({
  query: z.string().max(10_000),
  /**
   * `full_text`: words, "phrases", prefix*, OR, NOT, -word, without regard to case and accents; text that the word
   * index would tear apart (identifiers, paths, scripts without spaces) as it is typed, without regard to case.
   * `literal`: these characters, case and all. `regex`: RE2 syntax; with look-around and back-references JavaScript's, which
   * is stopped when it takes too long (`pattern_too_slow`).
   */
  mode: z.enum(['full_text', 'regex', 'literal']).default('full_text'),
  /** Full text only: `auto` looks for all words and, when nothing has them all, for any of them, the best first. */
  match: z.enum(['auto', 'all', 'any']).default('auto'),
  scope: z.enum(['messages', 'summaries', 'both', 'files']).default('both'),
  conversationIds: z.array(ConversationId).optional(),
  /** Without `depths` too: messages only. Files have neither role nor depth: with either no file is found. */
  roles: z.array(Role).optional(),
  /** Without `roles` too: summaries only. */
  depths: z.array(z.int()).optional(),
  /** Inclusive, as `beforeMs`. */
  afterMs: TimeMs.optional(),
  beforeMs: TimeMs.optional(),
  inContext: z.boolean().optional(),
  /** Only what this summary stands for. */
  within: SummaryId.optional(),
  /**
   * `relevance`: BM25 of the words, the shorter and the newer first among equals. What is looked for as it is typed, by a
   * phrase or a pattern counts once, however often it stands there.
   */
  sort: z.enum(['relevance', 'newest', 'oldest']).default('newest'),
  limit: z.int().min(1).max(1000).default(50),
  cursor: z.string().optional(),
  /** Look at every candidate to count it, however long that takes; otherwise counting ends soon after the page is full. */
  exactTotal: z.boolean().default(false),
})
export type GrepInput = z.infer<typeof GrepInput>
export type GrepRequest = z.input<typeof GrepInput>

export const GrepHit = z.object({
  id: NodeId,
  kind: z.enum(['message', 'leaf', 'condensed', 'file']),
  conversationId: ConversationId,
  seq: z.int().nullable(),
  role: Role.nullable(),
  depth: z.int().nullable(),
  createdAtMs: TimeMs.nullable(),
  /** Which text of the message was hit. */
  field: z.enum(['content', 'tool_input', 'tool_output', 'reasoning']),
  snippet: z.string(),
  /** Ranges in the snippet, UTF-16 units, end exclusive. */
  matches: z.array(z.tuple([z.int(), z.int()])),
  /** The summaries that stand for it, nearest first. */
  coveredBy: z.array(NodeId),
  /** The nearest of them that is in the window while the hit itself is not; null when none is. */
  coverInWindow: NodeId.nullable(),
  /** What was found in the hit stands in the text of `coverInWindow`, too. Elsewhere that summary only stands for it. */
  isSeenInCover: z.boolean(),
  /** It is in the window itself, and its agent has not taken its text out of there (`isPruned`). */
  inContext: z.boolean(),
  /** An agent no longer sends the text of this message, and put no summary in its place; absent where it does. */
  isPruned: z.boolean().optional(),
  /** Found by any of the words, not by all of them. */
  isPartial: z.boolean(),
})
export type GrepHit = z.infer<typeof GrepHit>

export const GrepResult = z.object({
  /** Hits of all pages; at least so many where it is not exact. */
  total: z.int(),
  totalIsExact: z.boolean(),
  hits: z.array(GrepHit),
  nextCursor: z.string().nullable(),
  /** Said when the answer came from a scan, or the query was taken literally. */
  notes: z.array(z.string()),
  tookMs: z.number(),
})
export type GrepResult = z.infer<typeof GrepResult>

/** How far a search has come: what it found since the last step, in the order that was asked for, and where it stands. */
export const GrepStep = z.object({
  /** Together, over all steps, the hits of the page. */
  hits: z.array(GrepHit),
  /** Hits found so far, shown or not. */
  found: z.int(),
  /** Rows whose text was looked at, of those that have to be; both 0 when the index alone answers. */
  scanned: z.int(),
  rows: z.int(),
  /** Set in the last step only: the whole answer but for its hits. */
  result: GrepResult.omit({ hits: true }).nullable(),
})
export type GrepStep = z.infer<typeof GrepStep>

export const ExpandInput = z.object({
  summaryId: SummaryId,
  /** Levels to go down; 1 = the direct sources. */
  depth: z.int().min(1).max(1000).default(1),
  includeMessages: z.boolean().default(false),
  tokenCap: z.int().min(1).max(10_000_000).default(4000),
  cursor: z.string().optional(),
})
export type ExpandInput = z.infer<typeof ExpandInput>

export const Expansion = z.object({
  nodes: z.array(
    z.object({ id: NodeId, kind: z.enum(['leaf', 'condensed']), depth: z.int(), tokens: z.int(), content: z.string() }),
  ),
  messages: z.array(
    z.object({
      id: NodeId,
      seq: z.int(),
      role: Role,
      tokens: z.int(),
      createdAtMs: TimeMs.nullable(),
      content: z.string(),
    }),
  ),
  /** Sum over what is returned; never above tokenCap. */
  tokens: z.int(),
  /** Something that was asked for is not here: it follows with a cursor, or is too large. */
  truncated: z.boolean(),
  /** Cursors to go on with; empty when nothing follows. */
  next: z.array(z.string()),
  /** Ids that are larger than the whole cap: describe them instead. */
  tooLarge: z.array(NodeId),
})
export type Expansion = z.infer<typeof Expansion>
