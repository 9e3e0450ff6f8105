import { z } from 'zod'
import { ItemReason } from './context.ts'
import { ConversationId, NodeId, SummaryKind, SummaryLevel, TimeMs } from './ids.ts'
import { LossReport, LostDetail } from './loss.ts'

export const CompactionMode = z.enum(['leaf', 'condense', 'full', 'untilUnder'])
export type CompactionMode = z.infer<typeof CompactionMode>

export const StopReason = z.enum([
  'target_reached',
  // Everything that was eligible was compacted. `nothing_eligible` is a run that found nothing to do.
  'all_compacted',
  'nothing_eligible',
  'irreducible_tail',
  'no_progress',
  'cap',
  'deadline',
  'cancelled',
  'conflict',
])
export type StopReason = z.infer<typeof StopReason>

/** The settings that a caller may set. The others come from the configuration. */
export const CompactionSettings = z.object({
  budgetTokens: z.int().min(1),
  softThreshold: z.number().gt(0).max(1),
  hardThreshold: z.number().gt(0).max(10),
  freshTailCount: z.int().min(0),
  leafChunkTokens: z.int().min(1),
  leafTargetTokens: z.int().min(1),
  leafConcurrency: z.int().min(1).max(64),
  condensedTargetTokens: z.int().min(1),
  condensedMinFanout: z.int().min(2),
  /** −1 means unlimited. */
  maxDepth: z.int().min(-1),
  minMessagesToCompact: z.int().min(0),
  maxActiveMessages: z.int().min(0),
})
export type CompactionSettings = z.infer<typeof CompactionSettings>

/** Who writes a summary: a configured provider, `chain` for all of them in order, or `deterministic`. */
export const SummarizerName = z
  .string()
  .default('deterministic')
  .describe('deterministic, a configured provider, or chain for all of LCM_SUMMARIZERS')

/** Whether the result of a compaction lists what it lost. */
export const WithLoss = z
  .boolean()
  .optional()
  .describe('list at the end what was dropped or changed, which may take longer than the compaction')

/** Why a run was started. */
export const CompactionReason = z.enum(['threshold', 'manual', 'maintenance'])

export const CompactInput = z.object({
  conversationId: ConversationId,
  mode: CompactionMode.default('full').describe('which passes are made'),
  targetTokens: z
    .int()
    .min(1)
    .max(100_000_000)
    .optional()
    .describe('goal of until-under (default: the soft threshold of the budget)'),
  settings: CompactionSettings.partial().optional().describe('compaction settings in place of the configured ones'),
  summarizer: SummarizerName,
  reason: CompactionReason.default('manual').describe('why the run is started'),
})
export type CompactInput = z.infer<typeof CompactInput>
export type CompactRequest = z.input<typeof CompactInput>

export const PlanInput = CompactInput.extend({
  sources: z
    .enum(['all', 'ends'])
    .default('all')
    .describe('whether each step lists all of its sources, or the first and the last with their number'),
})
export type PlanInput = z.infer<typeof PlanInput>

const Trigger = z.object({
  name: z.enum(['soft_threshold', 'hard_threshold', 'active_messages']),
  value: z.number(),
  limit: z.number(),
  fired: z.boolean(),
})

export const CompactionDecision = z.object({
  conversationId: ConversationId,
  should: z.boolean(),
  urgency: z.enum(['none', 'soft', 'hard']),
  /** The tokens of the assembled window: of the active items that fit into the budget. */
  tokens: z.int(),
  /** The tokens of all active items. The triggers use them, because items that do not fit also require a compaction. */
  activeTokens: z.int(),
  leftOutItems: z.int(),
  leftOutTokens: z.int(),
  budget: z.int(),
  /** `tokens` ÷ `budget`. */
  pressure: z.number(),
  eligibleMessages: z.int(),
  eligibleTokens: z.int(),
  triggers: z.array(Trigger),
})
export type CompactionDecision = z.infer<typeof CompactionDecision>

export const PlanStep = z.object({
  pass: z.enum(['leaf', 'condensed']),
  depth: z.int(),
  /** The ids of what becomes one node. A planned node of an earlier step is `step_<n>`. */
  sources: z.array(NodeId),
  /** How many sources there are, where only the first and the last of them are listed. */
  sourceCount: z.int().optional(),
  sourceTokens: z.int(),
  expectedTokens: z.int(),
  firstSeq: z.int(),
  lastSeq: z.int(),
})
export type PlanStep = z.infer<typeof PlanStep>

export const CompactionPlan = z.object({
  conversationId: ConversationId,
  mode: CompactionMode,
  steps: z.array(PlanStep),
  /** The sources of all steps by what they are, where the steps do not list them. */
  sourceCounts: z.object({ messages: z.int(), summaries: z.int(), planned: z.int() }).optional(),
  modelCalls: z.int(),
  /** The tokens of all active items, like `expectedTokensAfter`. */
  tokensBefore: z.int(),
  expectedTokensAfter: z.int(),
  /** Why there is nothing to do when `steps` is empty. */
  skipped: z.string().nullable(),
  /**
   * What a fork has in its window from the conversation that it was forked from. A compaction does not change it, and
   * the other figures do not count it. Absent when there is nothing.
   */
  inherited: z.object({ conversationId: ConversationId, items: z.int(), tokens: z.int() }).optional(),
})
export type CompactionPlan = z.infer<typeof CompactionPlan>

export const CreatedSummary = z.object({
  id: NodeId,
  kind: SummaryKind,
  depth: z.int(),
  level: SummaryLevel,
  sourceTokens: z.int(),
  tokens: z.int(),
})
export type CreatedSummary = z.infer<typeof CreatedSummary>

export const CompactionResult = z.object({
  /** Null when nothing was eligible, so that no run was recorded. */
  runId: z.string().nullable(),
  conversationId: ConversationId,
  stopReason: StopReason,
  tokensBefore: z.int(),
  tokensAfter: z.int(),
  /** 1 − after ÷ before, and 0 when nothing changed. */
  reduction: z.number(),
  created: z.array(CreatedSummary),
  skipped: z.string().optional(),
  /** What it dropped or changed, where that was asked for. Absent when nothing was compacted or the comparison was stopped. */
  loss: LossReport.optional(),
  durationMs: z.number(),
})
export type CompactionResult = z.infer<typeof CompactionResult>

/** A preview tries the built-in summariser, whose summaries are known beforehand. */
export const CompactionPreviewInput = CompactInput.omit({ summarizer: true, reason: true })
export type CompactionPreviewInput = z.infer<typeof CompactionPreviewInput>

/** A summary that a compaction would make, with what would be lost in it. */
export const PreviewedSummary = z.object({
  depth: z.int(),
  /** As those of the step of the plan. Null when it covers no message. */
  firstSeq: z.int().nullable(),
  lastSeq: z.int().nullable(),
  tokens: z.int(),
  dropped: z.int(),
  changed: z.int(),
  /** The first of the details, in the order of their kinds. */
  lost: z.object({ dropped: z.array(LostDetail), changed: z.array(LostDetail) }),
})
export type PreviewedSummary = z.infer<typeof PreviewedSummary>

/** What a compaction did on a copy of the memory. */
export const CompactionPreview = z.object({
  conversationId: ConversationId,
  tokensBefore: z.int(),
  tokensAfter: z.int(),
  /** In the order in which they were made. */
  summaries: z.array(PreviewedSummary),
  /** As the result of the compaction would report it. Null when nothing would be compacted. */
  loss: LossReport.nullable(),
  /** True when more would leave the window than is compared. Then a summary without losses may not have been. */
  isPart: z.boolean(),
  durationMs: z.number(),
})
export type CompactionPreview = z.infer<typeof CompactionPreview>

export const CompactionProgress = z.object({
  pass: z.enum(['leaf', 'condensed']),
  chunk: z.int(),
  chunks: z.int(),
  tokensSaved: z.int(),
  level: SummaryLevel.nullable(),
  createdId: NodeId.nullable(),
})
export type CompactionProgress = z.infer<typeof CompactionProgress>

/** What would happen under other settings, answered without writing. */
export const WhatIf = z.object({
  decision: CompactionDecision,
  plan: CompactionPlan,
  messagesToLeaves: z.object({ messages: z.int(), leaves: z.int() }),
  summariesToCondensed: z.object({ summaries: z.int(), condensed: z.int() }),
  /** The pressure of the window that would be assembled after the plan. */
  pressureAfter: z.number(),
  /** Ids of all items that the model would not be given next turn under this budget if nothing were compacted. */
  fallsOut: z.array(NodeId),
  fallsOutTokens: z.int(),
  /** The same by the reason for which they are left out. */
  fallsOutBy: z.array(z.object({ reasonCode: ItemReason, items: z.int(), tokens: z.int() })),
  durationMs: z.number(),
})
export type WhatIf = z.infer<typeof WhatIf>

/** What a plan would ask of a model if every first answer were accepted. */
export const SpendEstimate = z.object({
  /** The provider that is asked first, or null for the deterministic summariser. */
  provider: z.string().nullable(),
  calls: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** The cost in the currency of the configured prices, or null when the provider has none. */
  cost: z.number().nullable(),
  /** The tokens that a run may send and receive at most, or null for no cap. */
  capTokens: z.int().nullable(),
})
export type SpendEstimate = z.infer<typeof SpendEstimate>

export const PromptPreviewInput = CompactInput.extend({
  step: z.int().min(0).describe('the step, counted from 0'),
  level: z.enum(['normal', 'aggressive']).default('normal').describe('how short the summary has to be'),
})

/** The exact text that a summariser would be sent for a step of the plan. */
export const PromptPreview = z.object({
  promptVersion: z.string(),
  /** The origin of the prompt: this app, or the user's own file. */
  source: z.string(),
  depth: z.int(),
  level: SummaryLevel,
  system: z.string(),
  prompt: z.string(),
  tokens: z.int(),
})
export type PromptPreview = z.infer<typeof PromptPreview>

export const UndoCompactionInput = z.object({
  conversationId: ConversationId,
  runId: z
    .string()
    .optional()
    .meta({ description: 'the run to take back (default: the newest that was not taken back)', value: 'run' }),
})
export type UndoCompactionInput = z.infer<typeof UndoCompactionInput>

/** What taking a run back would do, or why it cannot be taken back. */
export const CompactionUndo = z.object({
  conversationId: ConversationId,
  /** Null when there is no run that could be taken back. */
  runId: z.string().nullable(),
  startedAtMs: TimeMs.nullable(),
  /** The summaries that the run made, and that are removed. */
  summaries: z.array(NodeId),
  /** Messages and earlier summaries that come back into the window. */
  messagesBack: z.int(),
  summariesBack: z.int(),
  /** Messages that were stored after the run's last summary. They stay in the window. */
  keptMessages: z.int(),
  /** The tokens of all active items, now and with the run taken back. */
  tokensBefore: z.int(),
  tokensAfter: z.int(),
  /** Why the run cannot be taken back, and what to do about it. Null when it can. */
  refusal: z.string().nullable(),
})
export type CompactionUndo = z.infer<typeof CompactionUndo>

export const UndoneCompaction = CompactionUndo.omit({ refusal: true }).extend({
  runId: z.string(),
  durationMs: z.number(),
})
export type UndoneCompaction = z.infer<typeof UndoneCompaction>
