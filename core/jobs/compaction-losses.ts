import type { LossReport } from '../contract/loss.ts'
import { LossInput } from '../contract/trace.ts'
import type { Lcm } from '../lcm.ts'

/** At most this much of what a compaction replaced is compared before it answers, which takes about three seconds. */
const MOST_COMPARED_CHARS = 400_000
/** The details of each list of a compaction's losses. */
export const MOST_LOST = 100

type Run = { readonly conversationId: number; readonly runId: string }

/**
 * Lists what a compaction dropped or changed, for its result and for its preview.
 * @throws LcmError not_found, cancelled
 */
export const lossOfRun = (
  { losses }: Lcm,
  { conversationId, runId }: Run,
  signal: AbortSignal,
  { limit, note }: { readonly limit: number; readonly note: string } = {
    limit: MOST_LOST,
    note: ` here: "lcm loss --conversation ${conversationId} --run ${runId}" reads more of it.`,
  },
): Promise<LossReport> =>
  losses.report({ ...LossInput.parse({ conversationId, runId }), limit }, signal, { chars: MOST_COMPARED_CHARS, note })
