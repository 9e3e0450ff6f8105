import { CUT_OFF } from '../compaction/cut-off-runs.ts'
import type { CompactionRunRecord } from '../contract/time-travel.ts'
import type { Usage } from '../contract/usage.ts'
import type { WatchFinding } from '../contract/watch.ts'
import type { Lcm } from '../lcm.ts'
import { plural } from '../text.ts'

/** A window that is over its limit for so many messages was not compacted in time: a run takes a few turns to come. */
const LEAST_MESSAGES_OVER = 20
/** A run that began longer ago than this and has no end was ended from outside. */
const LONGEST_RUN_MS = 30 * 60_000
/** How far back breaks of the prompt cache are counted, and how many of them are no accident. */
const BREAKS_MS = 60 * 60_000
const LEAST_BREAKS = 3

const FAILED_ENDS: ReadonlySet<string | null> = new Set(['no_progress', CUT_OFF])

/**
 * What is wrong with the compactions and the prompt cache of a conversation that is in use.
 * @throws LcmError not_found, cancelled
 */
export async function conversationFindings(
  lcm: Lcm,
  conversationId: number,
  nowMs: number,
  signal: AbortSignal,
): Promise<WatchFinding[]> {
  const usage = await lcm.usage.of({ conversationId, columns: 1024, limit: 1000 }, signal)
  const findings = [
    failing(lcm.compactions.runs({ conversationId, created: 'counted' }), conversationId, nowMs),
    due(lcm, conversationId, usage),
    breaking(usage, conversationId, nowMs),
  ]
  return findings.filter((finding) => finding !== null)
}

/** @param runs newest first */
function failing(runs: readonly CompactionRunRecord[], conversationId: number, nowMs: number): WatchFinding | null {
  const [newest] = runs
  if (newest === undefined || newest.pruned !== undefined) return null
  const { startedAtMs, finishedAtMs, stopReason } = newest
  const isCutOff = finishedAtMs === null && nowMs - startedAtMs > LONGEST_RUN_MS
  if (!isCutOff && !FAILED_ENDS.has(stopReason)) return null
  return {
    ...{ kind: 'compaction_failing', severity: 'error', conversationId, sinceMs: startedAtMs },
    text: isCutOff
      ? 'The last compaction began and never ended.'
      : `The last compaction ended without making the window smaller (${stopReason?.replaceAll('_', ' ')}).`,
    mend: 'See what its model answered, in the history of compactions or in the log, and run it again.',
    command: `lcm compact --conversation ${conversationId} --plan`,
  }
}

function due(lcm: Lcm, conversationId: number, usage: Usage): WatchFinding | null {
  const { triggers, eligibleMessages, activeTokens } = lcm.planner.evaluate({
    ...{ conversationId, mode: 'full', reason: 'threshold', summarizer: 'deterministic' },
  })
  const limit = triggers.find(({ name, fired }) => name === 'hard_threshold' && fired)?.limit
  if (limit === undefined || eligibleMessages === 0) return null
  // An agent that has sent more has a larger budget than is configured here.
  if (longestPrompt(usage) > limit) return null
  const { messages } = lcm.reader.memory(conversationId)
  let over = activeTokens - limit
  let since = messages.length
  while (since > 0 && over > 0) {
    since -= 1
    over -= messages.tokensAt(since)
  }
  const count = messages.length - since
  if (count < LEAST_MESSAGES_OVER) return null
  return {
    ...{ kind: 'compaction_due', severity: 'warning', conversationId, sinceMs: messages.createdAtMs[since] ?? null },
    text: `The window has been over its limit of ${limit.toLocaleString('en')} tokens for ${plural(count, 'message')}, and nothing compacts it.`,
    mend: 'Compact it now, or set the budget to what the agent really has.',
    command: `lcm compact --conversation ${conversationId}`,
  }
}

/** Of answers that are summed up, the average counts. */
const longestPrompt = ({ columns: { inputTokens, steps } }: Usage): number =>
  Math.max(0, ...inputTokens.map((tokens, at) => tokens / (steps[at] ?? 1)))

function breaking({ breaks }: Usage, conversationId: number, nowMs: number): WatchFinding | null {
  const recent = breaks.filter(({ cause, atMs }) => cause === null && atMs !== null && nowMs - atMs < BREAKS_MS)
  if (recent.length < LEAST_BREAKS) return null
  const lost = recent.reduce((sum, { expectedTokens, cachedTokens }) => sum + expectedTokens - cachedTokens, 0)
  return {
    ...{ kind: 'cache_breaks', severity: 'warning', conversationId },
    sinceMs: Math.min(...recent.map(({ atMs }) => atMs ?? nowMs)),
    text: `The prompt cache broke ${recent.length} times within an hour for no known reason: ${plural(lost, 'token')} were sent again.`,
    mend: 'Something changes the beginning of the prompt between turns, such as a clock or a list of tools in another order.',
    command: null,
  }
}
