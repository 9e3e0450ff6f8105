import { z } from 'zod'
import { ConversationId, NodeId } from './ids.ts'
import { SystemId } from './memory.ts'

export const Severity = z.enum(['error', 'warning', 'info'])
export type Severity = z.infer<typeof Severity>

/**
 * What a check has to read: rows without texts, every text, full-text indexes, files on disk, or every page of the
 * file. Checks run in this order.
 */
export const CheckPhase = z.enum(['structure', 'text', 'index', 'files', 'sqlite'])
export type CheckPhase = z.infer<typeof CheckPhase>

export const Sample = z.object({
  /** The node to show, if there is one. */
  id: NodeId.nullable(),
  conversationId: ConversationId.nullable(),
  detail: z.string(),
})
export type Sample = z.infer<typeof Sample>

export const CheckResult = z.object({
  id: z.string(),
  group: z.enum(['file', 'lineage', 'retention', 'context', 'content', 'files', 'ledger', 'json', 'operations']),
  severity: Severity,
  phase: CheckPhase.optional(),
  /** The invariant in one sentence. */
  invariant: z.string(),
  /** What a violation means, and for whom. */
  explanation: z.string(),
  count: z.int(),
  /** At most 20 are listed. */
  samples: z.array(Sample),
  repairable: z.boolean(),
  /** What people can do about it. Absent when nothing was found or nothing has to be done. */
  advice: z.string().optional(),
  /** The reason why the check does not apply to this file, or null when it does. */
  notApplicable: z.string().nullable(),
  /**
   * Checks of this report with findings of which these may only be a consequence. Repair those first and scan again.
   * Empty or absent when these findings have no such cause.
   */
  consequenceOf: z.array(z.string()).optional(),
  /** Checks that read the same texts share the time of reading, so each has the whole time. */
  durationMs: z.number(),
})
export type CheckResult = z.infer<typeof CheckResult>

/**
 * A known exception in a working copy: the system from which the memory was copied works like that, and it was so when
 * the copy was made. It is not among the findings of the check.
 */
export const ByDesign = z.object({
  /** The id of the check. */
  id: z.string(),
  system: SystemId,
  systemLabel: z.string(),
  group: CheckResult.shape.group,
  severity: z.literal('info'),
  /** The invariant in a native file. */
  invariant: z.string(),
  /** Why it does not hold here, and what that means. */
  why: z.string(),
  count: z.int(),
  /** At most 20 are listed. */
  samples: z.array(Sample),
})
export type ByDesign = z.infer<typeof ByDesign>

export const IntegrityReport = z.object({
  /** True when there is no error and no warning. */
  ok: z.boolean(),
  checks: z.array(CheckResult),
  /**
   * Known exceptions of the system from which a working copy was made. They are not counted. Absent or empty for other
   * files.
   */
  byDesign: z.array(ByDesign).optional(),
  /**
   * What copying changed of the findings, by the ids of checks. Absent for files that are no working copies, and where
   * original and copy had the same findings.
   */
  copying: z
    .object({
      /** Checks that found something in the original, and nothing in the copy when it was made. */
      settled: z.array(z.string()),
      /** Checks of this report that find something, where the original had nothing. */
      brought: z.array(z.string()),
    })
    .optional(),
  counts: z.object({ error: z.int(), warning: z.int(), info: z.int() }),
  /** The conversations in which something was found: how many findings of each severity. Absent when there is none. */
  byConversation: z.array(z.object({ conversationId: ConversationId, errors: z.int(), warnings: z.int() })).optional(),
  /** Only rows without texts were read. Absent when every check ran. */
  only: z.literal('structure').optional(),
  messages: z.int(),
  summaries: z.int(),
  durationMs: z.number(),
  /** The duration of each phase. `structure` includes reading the rows. */
  phases: z.array(z.object({ phase: CheckPhase, durationMs: z.number() })).optional(),
  finishedAtMs: z.number(),
})
export type IntegrityReport = z.infer<typeof IntegrityReport>

/** Returns the numbers of errors and warnings by conversation. Conversations without any are left out. */
export const findingCounts = ({ byConversation = [] }: Pick<IntegrityReport, 'byConversation'>) =>
  new Map(
    byConversation.map(({ conversationId, errors, warnings }) => [
      conversationId,
      { error: errors, warning: warnings },
    ]),
  )
