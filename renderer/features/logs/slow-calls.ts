import type { ActivityHistory } from '../../../core/contract/activity.ts'
import type { TimeRange } from './chart-scale.ts'

export type SlowProcedure = {
  readonly procedure: string
  readonly slowestMs: number
  readonly medianMs: number
  readonly count: number
  readonly lastAtMs: number
}

/** Sums up slow calls by procedure, those with the longest first. */
export function slowestByProcedure(
  calls: ActivityHistory['slowCalls'],
  range: TimeRange | null,
): readonly SlowProcedure[] {
  const within = calls.filter(({ atMs }) => range === null || (atMs >= range.fromMs && atMs <= range.toMs))
  return [...Map.groupBy(within, ({ procedure }) => procedure)]
    .map(([procedure, some]) => {
      const sorted = some.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
      return {
        procedure,
        slowestMs: sorted.at(-1) ?? 0,
        medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
        count: sorted.length,
        lastAtMs: Math.max(...some.map(({ atMs }) => atMs)),
      }
    })
    .sort((a, b) => b.slowestMs - a.slowestMs)
}
