import { type LostInState, lostByKind } from '#core/contract/lists.ts'
import type { LossReport, LostDetail } from '#core/contract/loss.ts'
import type { Overview } from '#core/contract/memory.ts'
import type { CompactionEvent } from '#core/contract/time-travel.ts'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { isUndone } from '#renderer/ui/texts/job-text.ts'

/** The last compaction of a conversation. */
export type LastRun = {
  /** Empty where runs are not recorded; then it is the last replacement. */
  readonly runId: string
  readonly atMs: number
  /** The tokens in the window before its first replacement, and after its last. */
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly durationMs: number
  /** How many summaries it made of each depth. */
  readonly made: readonly { readonly depth: number; readonly count: number }[]
}

/** The events without those of runs that were taken back, which lost nothing. */
export function withoutUndone(events: readonly CompactionEvent[], runs: Overview['runs']): readonly CompactionEvent[] {
  const undone = new Set(runs.filter(isUndone).map(({ runId }) => runId))
  return undone.size === 0 ? events : events.filter(({ runId }) => !undone.has(runId))
}

/** Returns the last run, or null before one. */
export function lastRun(events: readonly CompactionEvent[]): LastRun | null {
  const last = events.at(-1)
  if (last === undefined) return null
  const own = last.runId === '' ? [last] : events.filter(({ runId }) => runId === last.runId)
  const first = own[0] ?? last
  const byDepth = Map.groupBy(own, ({ depth }) => depth)
  return {
    runId: last.runId,
    atMs: last.atMs,
    // A summary of summaries is made of what the same run made: the sums of both would count it twice.
    tokensBefore: first.activeTokens + first.sourceTokens - first.tokens,
    tokensAfter: last.activeTokens,
    durationMs: own.reduce((all, event) => all + event.durationMs, 0),
    made: [...byDepth].map(([depth, some]) => ({ depth, count: some.length })),
  }
}

/** A compaction in the list of the newest. */
export type Compaction = Pick<LastRun, 'runId' | 'atMs'> & {
  /** Null where it was not recorded. */
  readonly tokensBefore: number | null
  /** Null while it runs, and when it was cut off. */
  readonly tokensAfter: number | null
  readonly summaries: number
}

/** Returns the newest of the recorded runs, or where none is recorded the last replacement. */
export function newestCompactions(
  runs: Overview['runs'],
  events: readonly CompactionEvent[],
  most: number,
): readonly Compaction[] {
  if (runs.length > 0)
    return runs.slice(0, most).map(({ runId, atMs, tokensBefore, tokensAfter, created }) => ({
      ...{ runId, atMs, tokensBefore, tokensAfter },
      summaries: created,
    }))
  const last = lastRun(events)
  return last === null ? [] : [{ ...last, summaries: last.made.reduce((all, { count }) => all + count, 0) }]
}

/** At most this many kinds are named. */
const NAMED_KINDS = 3

/** `Lost: 3 decisions, 7 paths, 2 numbers and 40 others` */
export function lossHeadline({ dropped, changed, byKind }: LossReport['counts']): string {
  if (dropped + changed === 0) return 'Nothing was lost'
  const named = byKind.slice(0, NAMED_KINDS)
  const count = (kind: (typeof byKind)[number]): number => kind.dropped + kind.changed
  const rest = dropped + changed - named.reduce((all, kind) => all + count(kind), 0)
  const words = named.map((kind) => plural(count(kind), kind.kind, kind.kind === 'words' ? 'words' : undefined))
  return `Lost: ${words.join(', ')}${rest > 0 ? ` and ${plural(rest, 'other')}` : ''}`
}

/** The report as a list for other programs. */
export function lossMarkdown(report: LossReport, name: string): string {
  const line = ({ detail: { kind, text, instead, messageId } }: LostInState<LostDetail>): string =>
    `- ${kind}: ${text.replace(/\s+/g, ' ')}${instead === null ? '' : ` → ${instead.replace(/\s+/g, ' ')}`} (${messageId})`
  return [`# ${name}`, '', lossHeadline(report.counts), '', ...lostByKind(report).map(line), ''].join('\n')
}

/** `6,361 lost, 3 changed`, as the result of the compaction counts them. */
export const goneText = ({ dropped, changed }: Pick<LossReport['counts'], 'dropped' | 'changed'>): string =>
  [dropped > 0 && `${formatCount(dropped)} lost`, changed > 0 && `${formatCount(changed)} changed`]
    .filter((part) => part !== false)
    .join(', ')
