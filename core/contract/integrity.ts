import { z } from 'zod'
import { ConversationId, NodeId } from './ids.ts'
import { SystemId } from './memory.ts'

export const Severity = z.enum(['error', 'warning', 'info'])
export type Severity = z.infer<typeof Severity>

/**
 * What a check has to read: rows without their texts, every text, full-text indexes, files on disk, every page of the
 * file. Checks run in this order.
 */
export const CheckPhase = z.enum(['structure', 'text', 'index', 'files', 'sqlite'])
export type CheckPhase = z.infer<typeof CheckPhase>

export const Sample = z.object({
  /** A node to jump to, where there is one. */
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
  /** What it means when it does not hold, and for whom. */
  explanation: z.string(),
  count: z.int(),
  /** At most 20. */
  samples: z.array(Sample),
  repairable: z.boolean(),
  /** What to do about it, for people; absent where nothing was found, or nothing has to be done. */
  advice: z.string().optional(),
  /** Set when the check does not apply to this file, with the reason. */
  notApplicable: z.string().nullable(),
  /**
   * Checks of this report that found something of which these findings may be a mere consequence: repair those first
   * and look again. Empty or absent when these findings stand for themselves.
   */
  consequenceOf: z.array(z.string()).optional(),
  /** Checks that read the same texts share the time of reading: each says how long that took. */
  durationMs: z.number(),
})
export type CheckResult = z.infer<typeof CheckResult>

/**
 * What a check finds in a working copy that is no fault of it: the system that the memory was copied from works like
 * that, and it was so when the copy was made. Not among the findings of the check.
 */
export const ByDesign = z.object({
  /** Of the check. */
  id: z.string(),
  system: SystemId,
  systemLabel: z.string(),
  group: CheckResult.shape.group,
  severity: z.literal('info'),
  /** What holds in a file of ours. */
  invariant: z.string(),
  /** Why it is otherwise here, and what that means. */
  why: z.string(),
  count: z.int(),
  /** At most 20. */
  samples: z.array(Sample),
})
export type ByDesign = z.infer<typeof ByDesign>

export const IntegrityReport = z.object({
  /** No error and no warning. */
  ok: z.boolean(),
  checks: z.array(CheckResult),
  /** By design of the system that a working copy comes from; counted nowhere. Absent or empty elsewhere. */
  byDesign: z.array(ByDesign).optional(),
  counts: z.object({ error: z.int(), warning: z.int(), info: z.int() }),
  messages: z.int(),
  summaries: z.int(),
  durationMs: z.number(),
  /** How long each phase took; `structure` includes reading the rows. */
  phases: z.array(z.object({ phase: CheckPhase, durationMs: z.number() })).optional(),
  finishedAtMs: z.number(),
})
export type IntegrityReport = z.infer<typeof IntegrityReport>

/** How many checks ran: those that do not apply to the file say nothing of it. */
export const checksMade = ({ checks }: Pick<IntegrityReport, 'checks'>): number =>
  checks.filter((check) => check.notApplicable === null).length
