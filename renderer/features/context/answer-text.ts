import type { CompactionDecision, CompactionPlan, WhatIf } from '../../../core/contract/compaction.ts'
import { formatCompact, formatCount, plural } from '../../ui/format.ts'

/** Says whether a compaction would start by itself. */
export function answerTitle({ urgency, should }: Pick<CompactionDecision, 'urgency' | 'should'>): string {
  if (!should) return 'Then no compaction is due. Run all the same:'
  return urgency === 'hard' ? 'Then, before the next turn:' : 'Then, soon:'
}

/** `41 messages → 3 leaves` */
export function leavesText({ messagesToLeaves: { messages, leaves } }: Pick<WhatIf, 'messagesToLeaves'>): string {
  return leaves === 0 ? 'nothing' : `${plural(messages, 'message')} → ${plural(leaves, 'leaf', 'leaves')}`
}

/** `8 summaries → 2, depth 2` */
export function condenseText({ summariesToCondensed, plan }: Pick<WhatIf, 'summariesToCondensed' | 'plan'>): string {
  const { summaries, condensed } = summariesToCondensed
  if (condensed === 0) return 'nothing'
  const depth = plan.steps.reduce((most, step) => Math.max(most, step.depth), 0)
  return `${plural(summaries, 'summary', 'summaries')} → ${formatCount(condensed)}, depth ${depth}`
}

/** `4 · 62 k tokens read`: what a model would have to read. The built-in summariser asks none. */
export function callsText({ steps }: Pick<CompactionPlan, 'steps'>): string {
  const tokens = steps.reduce((sum, step) => sum + step.sourceTokens, 0)
  return `${formatCount(steps.length)} · ${formatCompact(tokens)} tokens read`
}

/** `12 items, 8,412 tokens`: what the budget leaves out next turn when nothing is compacted. */
export function fallsOutText({ fallsOut, fallsOutTokens }: Pick<WhatIf, 'fallsOut' | 'fallsOutTokens'>): string {
  if (fallsOut.length === 0) return 'nothing'
  return `${plural(fallsOut.length, 'item')}, ${plural(fallsOutTokens, 'token')}`
}
