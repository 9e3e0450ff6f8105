import type { CompactionDecision, CompactionMode, CompactionPlan, CompactionResult } from '#core/contract/compaction.ts'
import type { LossReport } from '#core/contract/loss.ts'
import type { Attempt, CompactionRunRecord } from '#core/contract/time-travel.ts'
import { assertNever } from '#renderer/assert-never.ts'
import { DETERMINISTIC, summarizerName } from '#renderer/ui/data/summarizers.ts'
import { formatCount, formatPercent, formatPressure, plural } from '#renderer/ui/texts/format.ts'

export const MODES: readonly { readonly value: CompactionMode; readonly label: string; readonly hint: string }[] = [
  {
    value: 'full',
    label: 'full',
    hint: 'Old messages become first summaries, and these become summaries of summaries',
  },
  {
    value: 'leaf',
    label: 'only messages',
    hint: 'Old messages become first summaries; the summaries that are there stay as they are',
  },
  {
    value: 'condense',
    label: 'only summaries',
    hint: 'Neighbouring summaries become one summary of them; no message leaves the window',
  },
  {
    value: 'untilUnder',
    label: 'until under…',
    hint: 'Messages first, then summaries, for as long as the window is above a number of tokens',
  },
]

const REASONS: Readonly<Record<string, string>> = {
  manual: 'by hand',
  threshold: 'when due',
  maintenance: 'in maintenance',
}

/** `only messages, by hand`: how a recorded compaction ran, and why. Other programs have words of their own. */
export function runText({ mode, reason }: Pick<CompactionRunRecord, 'mode' | 'reason'>): string {
  const label = MODES.find(({ value }) => value === mode)?.label.replace('…', '') ?? mode
  return `${label}, ${REASONS[reason] ?? reason}`
}

/** The decision in a sentence. While a compaction runs there is nothing to decide. */
export function decisionTitle(
  { should, urgency }: Pick<CompactionDecision, 'should' | 'urgency'>,
  state: 'running' | 'resting',
): string {
  if (state === 'running') return 'Compacting now'
  if (!should) return 'No need to compact'
  return urgency === 'hard' ? 'Compact before the next turn' : 'Compact soon'
}

/** The figures behind the decision. */
export function decisionFigures(decision: CompactionDecision): string {
  const { tokens, activeTokens, leftOutTokens, budget, pressure, eligibleMessages, eligibleTokens } = decision
  const leftOut =
    leftOutTokens === 0 ? '' : ` · ${formatCount(leftOutTokens)} of ${formatCount(activeTokens)} tokens left out`
  return (
    `${formatCount(tokens)} of ${plural(budget, 'token')} (${formatPressure(pressure)})${leftOut} · ` +
    (eligibleMessages === 0
      ? 'no message can be compacted'
      : `${plural(eligibleMessages, 'message')} with ${plural(eligibleTokens, 'token')} can be compacted`)
  )
}

export const TRIGGER_NAMES = {
  soft_threshold: 'tokens in the window: compact at',
  hard_threshold: 'tokens in the window: must compact at',
  active_messages: 'messages in the window',
} as const

/** `12 first summaries and 3 summaries of summaries`, whichever there are. */
export function stepsText({ steps }: Pick<CompactionPlan, 'steps'>): string {
  const leaves = steps.filter((step) => step.pass === 'leaf').length
  const condensed = steps.length - leaves
  return [
    leaves > 0 && plural(leaves, 'first summary', 'first summaries'),
    condensed > 0 && plural(condensed, 'summary of summaries', 'summaries of summaries'),
  ]
    .filter((part) => part !== false)
    .join(' and ')
}

/** Returns the share of tokens that is saved, and 0 when none are. */
const savedShare = (before: number, after: number): number => (before === 0 ? 0 : Math.max(0, 1 - after / before))

/** `124,310 → 71,900 tokens (−42 %)` */
export function beforeAfterText(before: number, after: number): string {
  const saved = savedShare(before, after)
  return `${formatCount(before)} → ${plural(after, 'token')}${saved > 0 ? ` (−${formatPercent(saved)})` : ''}`
}

/** `124,310 → about 71,900 tokens (−42 %)`: what a plan expects. */
export function expectedText({ tokensBefore, expectedTokensAfter }: CompactionPlan): string {
  return beforeAfterText(tokensBefore, expectedTokensAfter).replace('→ ', '→ about ')
}

/** An agent's own compaction, found in its transcript, is no one's to undo here. */
export const canUndo = (run: Pick<CompactionRunRecord, 'owner' | 'created' | 'createdCount'>): boolean =>
  run.owner !== 'import' && madeBy(run) > 0

/** How many summaries a run made, also where they are not listed. */
export const madeBy = ({ created, createdCount }: Pick<CompactionRunRecord, 'created' | 'createdCount'>): number =>
  createdCount ?? created.length

/** What a finished run did. It never says compacted when nothing changed. */
export function resultTitle({ created, tokensBefore, tokensAfter }: CompactionResult): string {
  if (created.length === 0) return 'Nothing was changed'
  return `${plural(created.length, 'new summary', 'new summaries')}, ${formatPercent(savedShare(tokensBefore, tokensAfter))} less in the window`
}

/** What became of the details that left the window, in a sentence. */
export function lossText(
  { details, kept, changed, dropped, unknown }: LossReport['counts'],
  verb: 'leave' | 'left',
): string {
  const fates = [
    dropped > 0 && `${formatCount(dropped)} lost`,
    changed > 0 && `${formatCount(changed)} changed`,
    unknown > 0 && `${formatCount(unknown)} perhaps put in other words`,
  ].filter((fate) => fate !== false)
  const what = `Of ${plural(details, 'detail')} that ${verb} the window, ${formatCount(kept)} still ${kept === 1 ? 'stands' : 'stand'} in it`
  return `${[what, ...fates].join(', ')}.`
}

/** Describes the result of one call to a summariser. */
export function outcomeText(outcome: Attempt['outcome']): string {
  switch (outcome) {
    case 'accepted':
      return 'accepted'
    case 'empty':
      return 'empty answer'
    case 'not_smaller':
      return 'not smaller than its sources'
    case 'failed':
      return 'failed'
    case 'timeout':
      return 'no answer in time'
    case 'circuit_open':
      return 'not asked: it failed too often before'
    case 'spend_cap':
      return 'not asked: the spend cap is reached'
    case 'cancelled':
      return 'cancelled'
    default:
      return assertNever(outcome)
  }
}

/** `3 normal, 1 by the built-in extractor`: how the summaries of a compaction were obtained. */
export function levelsText(created: readonly { readonly level: string }[]): string {
  const counts = new Map<string, number>()
  for (const { level } of created) counts.set(level, (counts.get(level) ?? 0) + 1)
  return [...counts].map(([level, count]) => `${formatCount(count)}\u00a0${levelText(level)}`).join(', ')
}

const levelText = (level: string): string =>
  level === DETERMINISTIC ? `by the ${summarizerName(DETERMINISTIC)}` : level

/** Calls that did not lead to the node. */
export const failedAttempts = (attempts: readonly Attempt[]): readonly Attempt[] =>
  attempts.filter(({ outcome }) => outcome !== 'accepted')

/** A sum in the currency of the configured prices, which only the user knows. */
export function formatCost(cost: number): string {
  if (cost === 0) return '0'
  if (cost < 0.0001) return '<\u00a00.0001'
  return cost < 1 ? Number(cost.toPrecision(2)).toString() : cost.toFixed(2)
}

/** What a run sent to models and received, or null when it asked none. */
export function spentText(
  run: Pick<CompactionRunRecord, 'modelInputTokens' | 'modelOutputTokens' | 'cost'>,
): string | null {
  if (run.modelInputTokens + run.modelOutputTokens === 0) return null
  const cost = run.cost === null ? 'no price known' : `cost ${formatCost(run.cost)}`
  return `${formatCount(run.modelInputTokens)} in, ${plural(run.modelOutputTokens, 'token')} out · ${cost}`
}

/** `normal · claude-haiku`, or `built-in extractor`: the level alone where it says who made it. */
export const madeText = (level: string, by: string | null | undefined): string =>
  by === null || by === undefined || by === level ? summarizerName(level) : `${level} · ${summarizerName(by)}`
