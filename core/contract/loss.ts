import { z } from 'zod'
import { ConversationId, NodeId, Role, TimeMs } from './ids.ts'
import { DETAIL_KINDS } from './lists.ts'

export const DetailKind = z.enum(DETAIL_KINDS)
export type DetailKind = z.infer<typeof DetailKind>

/**
 * What a text has of a detail. `kept`: the detail. `changed`: the detail with another value, or its negation. `unknown`:
 * some of its words, so it may have been reworded. `dropped`: nothing.
 */
export const DetailFate = z.enum(['kept', 'changed', 'unknown', 'dropped'])
export type DetailFate = z.infer<typeof DetailFate>

export const LostDetail = z.object({
  kind: DetailKind,
  text: z.string(),
  /** The sentence in which it was said. */
  sentence: z.string(),
  /** The message that said it, or the summary when no message is known. */
  messageId: NodeId,
  role: Role.nullable(),
  seq: z.int().nullable(),
  /** Where it fell, or null when it left the window without a summary. */
  atSummary: NodeId.nullable(),
  depth: z.int().nullable(),
  runId: z.string().nullable(),
  run: z.int().nullable(),
  atMs: TimeMs.nullable(),
  /** What stands in its place. */
  instead: z.string().nullable(),
  /** What became of it, from what left the window up to what is in the window. */
  ladder: z.array(z.object({ id: NodeId, depth: z.int(), state: DetailFate })),
})
export type LostDetail = z.infer<typeof LostDetail>

export const LossReport = z.object({
  conversationId: ConversationId,
  fromAtMs: TimeMs.nullable(),
  toAtMs: TimeMs.nullable(),
  /** In the order of the kinds; within a kind, what was said before what tools gave. */
  dropped: z.array(LostDetail),
  changed: z.array(LostDetail),
  counts: z.object({
    /** The messages and summaries that left the window. */
    items: z.int(),
    /** Each detail once, or twice when it was dropped in one place and changed in another: the sum of the four below. */
    details: z.int(),
    kept: z.int(),
    changed: z.int(),
    unknown: z.int(),
    dropped: z.int(),
    byKind: z.array(z.object({ kind: DetailKind, dropped: z.int(), changed: z.int() })),
  }),
  notes: z.array(z.string()),
  tookMs: z.number(),
})
export type LossReport = z.infer<typeof LossReport>
