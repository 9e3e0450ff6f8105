import type { CompactionPlan, CompactionPreview, PreviewedSummary } from '#core/contract/compaction.ts'
import { sourceCounts as countSources } from '#core/contract/lists.ts'
import { formatCount, plural } from './format.ts'

type Planned = Pick<CompactionPlan, 'steps' | 'sourceCounts'>

/** `143 messages and 3 earlier summaries`: what a plan takes out of the window. */
export function leavingText({ steps, sourceCounts }: Planned): string {
  const { messages, summaries: earlier } = sourceCounts ?? countSources(steps)
  return [
    messages > 0 && plural(messages, 'message'),
    earlier > 0 && plural(earlier, 'earlier summary', 'earlier summaries'),
  ]
    .filter((part) => part !== false)
    .join(' and ')
}

/**
 * `143 messages and 3 earlier summaries leave the window, 4 of 21 new summaries come`. A new summary that the same plan
 * condenses further is made, but does not stand in the window afterwards.
 */
export function planText(plan: Planned): string {
  const { steps } = plan
  const { messages, summaries: earlier, planned: condensed } = plan.sourceCounts ?? countSources(steps)
  const leaves = messages + earlier === 1 ? 'leaves' : 'leave'
  const coming = steps.length - condensed
  const all = plural(steps.length, 'new summary', 'new summaries')
  return `${leavingText(plan)} ${leaves} the window, ${condensed > 0 ? `${formatCount(coming)} of ${all}` : all} ${coming === 1 ? 'comes' : 'come'}`
}

/** What a preview found, or null when it found nothing to compact. Where it compared a part, there may be more. */
export function previewText({ loss, isPart }: Pick<CompactionPreview, 'loss' | 'isPart'>): string | null {
  return loss && `${isPart ? 'at least ' : ''}${goingText(loss.counts)}`
}

/** `6,361 details are lost and 3 changed` */
export function goingText({ dropped, changed }: Pick<PreviewedSummary, 'dropped' | 'changed'>): string {
  const [only, verb] = dropped === 0 ? [changed, 'changed'] : [dropped, 'lost']
  if (only === 0) return 'no detail is lost'
  const text = `${plural(only, 'detail')} ${only === 1 ? 'is' : 'are'} ${verb}`
  return dropped === 0 || changed === 0 ? text : `${text} and ${formatCount(changed)} changed`
}
