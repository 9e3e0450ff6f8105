import type { StopReason } from '../../core/contract/compaction.ts'

const TEXTS: Readonly<Record<StopReason, string>> = {
  target_reached: 'the target is reached',
  nothing_eligible: 'nothing was eligible',
  irreducible_tail: 'the fresh tail alone is above the target',
  no_progress: 'another pass would save nothing',
  cap: 'the limit of passes is reached',
  deadline: 'its time was up',
  cancelled: 'it was cancelled',
  conflict: 'another process changed the conversation',
}

const isStopReason = (text: string): text is StopReason => Object.hasOwn(TEXTS, text)

/** Says why a compaction run ended. An unknown reason of another system is returned unchanged. */
export const stopReasonText = (reason: string): string => (isStopReason(reason) ? TEXTS[reason] : reason)
