import type { ContextItem } from '#core/contract/context.ts'
import type { Timeline } from '#core/contract/time-travel.ts'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import type { RunStep } from './moment-text.ts'
import { byRun, type Replacement, type RunChanges, sumTokens } from './replacements.ts'

/** A line of the difference. */
export type DifferenceRow =
  | {
      readonly kind: 'run'
      readonly key: string
      readonly title: string
      readonly figures: string
      readonly atMs: number | null
    }
  | {
      readonly kind: 'item'
      readonly key: string
      readonly sign: '+' | '−'
      readonly item: ContextItem
      readonly reason: string
    }
  | {
      readonly kind: 'fold'
      readonly key: string
      readonly items: number
      readonly tokens: number
      readonly isOpen: boolean
    }

/** This many of the removed items are shown without unfolding. */
const SHOWN = 4

/**
 * Returns the lines of a difference, grouped by run. Removed items are listed below the items that replaced them,
 * folded when there are many.
 */
export function differenceRows(
  replacements: readonly Replacement[],
  timeline: Timeline,
  runSteps: readonly RunStep[],
  opened: ReadonlySet<string>,
): readonly DifferenceRow[] {
  return byRun(replacements, timeline.events).flatMap((changes) => [
    heading(changes, timeline, runSteps),
    ...changes.replacements.flatMap((replacement) => replacementRows(replacement, opened)),
  ])
}

function heading({ runId, replacements }: RunChanges, timeline: Timeline, runSteps: readonly RunStep[]): DifferenceRow {
  const left = replacements.flatMap((replacement) => replacement.left)
  const entered = replacements.flatMap((replacement) => replacement.entered)
  const index = runId === '' ? -1 : timeline.events.findIndex((event) => event.runId === runId)
  const point = runSteps[index]
  const title = point ? `compaction ${formatCount(point.run)} of ${formatCount(point.runs)}` : otherTitle(replacements)
  const figures = [
    left.length > 0 && `${plural(left.length, 'item')} out, −${formatCount(sumTokens(left))}`,
    entered.length > 0 && `${plural(entered.length, 'item')} in, +${formatCount(sumTokens(entered))} tokens`,
  ]
  return {
    kind: 'run',
    key: `run ${runId}`,
    title,
    figures: figures.filter((figure) => figure !== false).join(' · '),
    atMs: timeline.events[index]?.atMs ?? null,
  }
}

function otherTitle(replacements: readonly Replacement[]): string {
  const hasSummary = replacements.some(({ entered }) => entered.some((item) => item.kind !== 'message'))
  if (hasSummary) return 'without a recorded compaction'
  return replacements.some(({ entered }) => entered.length > 0) ? 'new messages' : 'gone without a summary'
}

function replacementRows({ left, entered }: Replacement, opened: ReadonlySet<string>): readonly DifferenceRow[] {
  const key = `${entered[0]?.id ?? ''} ${left[0]?.id ?? ''}`
  const isOpen = opened.has(key)
  const isLong = left.length > SHOWN
  return [
    ...entered.map((item) => ({ kind: 'item', key: `+${item.id}`, sign: '+', item, reason: item.reason }) as const),
    ...(isLong ? [{ kind: 'fold', key, items: left.length, tokens: sumTokens(left), isOpen } as const] : []),
    ...(isLong && !isOpen ? [] : left).map(
      (item) => ({ kind: 'item', key: `−${item.id}`, sign: '−', item, reason: `was: ${item.reason}` }) as const,
    ),
  ]
}
