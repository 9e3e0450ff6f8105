import { z } from 'zod'
import { ConversationId, NodeId, Role, SummaryId, TimeMs } from './ids.ts'
import { MOST_MATCHED_CHARS } from './lists.ts'

/** The first and the last of some messages of one conversation. */
export const MessageEnds = z.object({
  fromMessage: NodeId.optional().meta({ description: 'not before this message of its conversation', value: 'message' }),
  toMessage: NodeId.optional().meta({ description: 'not after this message of its conversation', value: 'message' }),
})
export type MessageEnds = z.infer<typeof MessageEnds>

export const GrepInput = z.object({
  query: z.string().max(10_000).describe('words, "phrases", prefix*, OR, NOT'),
  /**
   * `full_text` accepts words, "phrases", prefix*, OR, NOT and -word, and ignores case and accents. Text that the word
   * index would split (identifiers, paths, scripts without spaces) is searched as typed, without case. `literal`
   * searches for these characters. `regex` is RE2 syntax. With look-around and back-references it is
   * JavaScript's, which is stopped when it takes too long (`pattern_too_slow`).
   */
  mode: z.enum(['full_text', 'regex', 'literal']).default('full_text').describe('how the query is read'),
  /** Literal searches and patterns ignore case without it. Words always do. */
  caseSensitive: z.boolean().optional().describe('tell capital from small letters in characters and patterns'),
  /**
   * For full text only. `question` searches for any of the words, in every form with the same stem, without those that
   * stand nearly everywhere. What has all of them comes first; neighbours in the conversation and the covering summary
   * lift a hit. With a model for
   * it (LCM_EMBEDDINGS), `question` also finds what says the same in other words. `auto` requires all words. It takes `question` for three words or more, for a question mark, and when
   * all words together find less than a page, unless an order of time is asked for; then only when nothing has them all.
   */
  match: z
    .enum(['auto', 'all', 'any', 'question'])
    .default('auto')
    .describe('all words, any of them, or a question; auto decides'),
  /**
   * `files` searches large files line by line: their contents, their names and their exploration summaries. All words
   * of a query have to stand in one line.
   */
  scope: z.enum(['messages', 'summaries', 'both', 'files']).default('both').describe('where to search'),
  conversationIds: z.array(ConversationId).optional().describe('narrow to a conversation'),
  /** Without `depths` it selects messages only. Files have neither role nor depth, so with either no file is found. */
  roles: z.array(Role).optional().describe('narrow to messages of a role'),
  /** Without `roles` it selects summaries only. */
  depths: z.array(z.int()).optional().describe('narrow to summaries of a depth'),
  afterMs: TimeMs.optional().describe('not before this time'),
  beforeMs: TimeMs.optional().describe('not after this time'),
  inContext: z.boolean().optional().describe('only what is in the window itself'),
  within: SummaryId.optional().meta({ description: 'only what this summary covers', value: 'summary' }),
  /** With either, only its conversation is searched: the messages up to the other one, and summaries that cover any of them. */
  ...MessageEnds.shape,
  /**
   * `relevance` is BM25 of the words, as SQLite counts it; the output of tools counts half. Of equally good hits the one
   * stored last comes first. Characters and patterns have no relevance: it means newest first there. In files, lines
   * with more of the words come first. Without an order the newest come first, and the best hits of a question.
   */
  sort: z
    .enum(['relevance', 'newest', 'oldest'])
    .optional()
    .describe('which hits come first (default: newest; relevance for a question)'),
  explain: z.boolean().optional().describe('say why each hit of a question ranks where it does'),
  limit: z.int().min(1).max(1000).default(50).describe('hits a page'),
  cursor: z.string().optional().describe('go on from an earlier answer'),
  exactTotal: z
    .boolean()
    .default(false)
    .describe('count every hit, however long that takes, and not only until soon after the page is full'),
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
  /** The text of the message that was hit. */
  field: z.enum(['content', 'tool_input', 'tool_output', 'reasoning']),
  snippet: z.string(),
  /** Ranges in the snippet in UTF-16 units, end exclusive. */
  matches: z.array(z.tuple([z.int(), z.int()])),
  /** In the content of a large file: the line and the row (see `FileView`). Absent for its name and its summary. */
  line: z.int().optional(),
  row: z.int().optional(),
  /** The summaries that cover it, nearest first. */
  coveredBy: z.array(NodeId),
  /** The nearest of them that is in the window while the hit itself is not, or null when none is. */
  coverInWindow: NodeId.nullable(),
  /** True when the text of `coverInWindow` contains what was found in the hit. */
  isSeenInCover: z.boolean(),
  /** True when it is in the window itself and its agent has not removed its text (`isPruned`). */
  inContext: z.boolean(),
  /**
   * True when an agent does not send the text of this message any more and has no summary for it. Absent when it sends
   * it.
   */
  isPruned: z.boolean().optional(),
  /** True when it has only some of the words, or none: then it was found by what it says. */
  isPartial: z.boolean(),
  /** The words that a partial hit has. */
  words: z.array(z.string()).optional(),
  /** With `explain`: the summands of its score. A hit with all words comes before the others. */
  ranking: z
    .object({
      words: z.number(),
      /** By what it says; absent where no model has compared that with the question. */
      meaning: z.number().optional(),
      neighbours: z.number(),
      summary: z.number(),
      hasAll: z.boolean(),
    })
    .optional(),
})
export type GrepHit = z.infer<typeof GrepHit>

export const GrepResult = z.object({
  /** The number of hits on all pages, or a lower bound when it is not exact. */
  total: z.int(),
  totalIsExact: z.boolean(),
  hits: z.array(GrepHit),
  nextCursor: z.string().nullable(),
  /** The order in which the hits come. */
  sort: z.enum(['relevance', 'newest', 'oldest']),
  /** Says that the answer came from a scan, or that the query was searched literally. */
  notes: z.array(z.string()),
  tookMs: z.number(),
})
export type GrepResult = z.infer<typeof GrepResult>

/** The progress of a search: what it found since the last step, in the requested order, and how far it is. */
export const GrepStep = z.object({
  /** All steps together have the hits of the page. */
  hits: z.array(GrepHit),
  /** The number of hits so far, shown or not. */
  found: z.int(),
  /**
   * The number of rows whose text was read, and of those to be read, which is estimated at first; bytes in a search of
   * files. Both are 0 when the index alone answers.
   */
  scanned: z.int(),
  rows: z.int(),
  /** Set in the last step only: the whole answer except for its hits. */
  result: GrepResult.omit({ hits: true }).nullable(),
})
export type GrepStep = z.infer<typeof GrepStep>

export const MatchesInput = z.object({
  search: GrepInput.meta({ description: 'the search', examples: [{ query: 'lease' }] }),
  text: z.string().max(MOST_MATCHED_CHARS).describe('the text to look in'),
})
export type MatchesInput = z.infer<typeof MatchesInput>

export const Matches = z.object({
  /** Ranges in UTF-16 units, end exclusive, in order. They do not overlap. */
  ranges: z.array(z.tuple([z.int(), z.int()])),
  /** True when the text has more. */
  isCut: z.boolean(),
})
export type Matches = z.infer<typeof Matches>

export const ExpandInput = z.object({
  summaryId: SummaryId.describe('the summary'),
  depth: z.int().min(1).max(1000).default(1).describe('levels towards the messages; 1 is the direct sources'),
  includeMessages: z.boolean().default(false).describe('include the messages'),
  tokenCap: z.int().min(1).max(10_000_000).default(4000).describe('tokens to return at most'),
  cursor: z.string().optional().describe('go on from an earlier answer'),
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
  /** The sum over what is returned, never above `tokenCap`. */
  tokens: z.int(),
  /** True when something that was requested is missing, because it follows with a cursor or is too large. */
  truncated: z.boolean(),
  /** Cursors to continue with. Empty when nothing follows. */
  next: z.array(z.string()),
  /** Ids that are larger than the whole cap. Describe them instead. */
  tooLarge: z.array(NodeId),
})
export type Expansion = z.infer<typeof Expansion>
