import { z } from 'zod'
import { ConversationId, TimeMs } from './ids.ts'

/**
 * What is wrong while an agent works. `ingest_stopped`: the agent writes its transcript and nothing arrives.
 * `compaction_failing`: the last run failed. `compaction_due`: the window is over its limit and nothing compacts it.
 * `cache_breaks`: the provider's prompt cache is lost again and again for no known reason. `file_growing`: the file or
 * its log grows faster than what is said. The others are rules of the checks by their ids.
 */
export const WatchKind = z.enum([
  'ingest_stopped',
  'compaction_failing',
  'compaction_due',
  'cache_breaks',
  'file_growing',
  'empty_summary',
  'skeletal_summary',
  'fallback_summary',
  'truncated_summary',
  'broken_chain',
])
export type WatchKind = z.infer<typeof WatchKind>

export const WatchFinding = z.object({
  kind: WatchKind,
  severity: z.enum(['error', 'warning']),
  /** Null for what concerns the whole file. */
  conversationId: ConversationId.nullable(),
  /** What is wrong, in a sentence. */
  text: z.string(),
  /** What to do about it. */
  mend: z.string(),
  /** A command that mends it or shows more, or null. */
  command: z.string().nullable(),
  /** Since when it is so, where that is known. */
  sinceMs: TimeMs.nullable(),
})
export type WatchFinding = z.infer<typeof WatchFinding>

export const WatchReport = z.object({
  atMs: TimeMs,
  /** Errors first. */
  findings: z.array(WatchFinding),
  tookMs: z.number(),
})
export type WatchReport = z.infer<typeof WatchReport>
