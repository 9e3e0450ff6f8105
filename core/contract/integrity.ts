import { z } from 'zod'
import { ConversationId, NodeId } from './ids.ts'

export const Severity = z.enum(['error', 'warning', 'info'])
export type Severity = z.infer<typeof Severity>

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
  /** The invariant in one sentence. */
  invariant: z.string(),
  /** What it means when it does not hold, and for whom. */
  explanation: z.string(),
  count: z.int(),
  /** At most 20. */
  samples: z.array(Sample),
  repairable: z.boolean(),
  /** Set when the check does not apply to this file, with the reason. */
  notApplicable: z.string().nullable(),
  durationMs: z.number(),
})
export type CheckResult = z.infer<typeof CheckResult>

export const IntegrityReport = z.object({
  /** No error and no warning. */
  ok: z.boolean(),
  checks: z.array(CheckResult),
  counts: z.object({ error: z.int(), warning: z.int(), info: z.int() }),
  messages: z.int(),
  summaries: z.int(),
  durationMs: z.number(),
  finishedAtMs: z.number(),
})
export type IntegrityReport = z.infer<typeof IntegrityReport>
