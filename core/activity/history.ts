import type { ActivityHistory, Latency } from '../contract/activity.ts'
import type { ActivityDb, HourSample, KeptEvent } from './activity-db.ts'

/** What a history is made of. */
export type KeptActivity = Pick<ActivityDb, 'hours' | 'events'>
export type HistoryRange = { readonly fromMs: number; readonly toMs: number; readonly memory: string | null }

/** As many of each are shown; a chart with more marks is a smear, and a longer list is read in the log. */
const MOST = 500

/** Makes charts and lists of what was kept. */
export function historyOf(
  kept: KeptActivity,
  { fromMs, toMs, memory }: HistoryRange,
): Omit<ActivityHistory, 'problem'> {
  const events = (...names: readonly string[]): KeptEvent[] => kept.events(names, fromMs, memory, MOST).reverse()
  const latencies = (metric: string): Latency[] =>
    latenciesOf(
      kept.hours(metric, fromMs, toMs).filter(({ labels }) => memory === null || labels.memory === memory),
      partOf(toMs - fromMs),
    )
  return {
    fromMs,
    toMs,
    runs: events('run.done', 'run.failed').map(({ atMs, event, fields }) => ({
      atMs,
      runId: fields.compaction_id ?? '',
      conversationId: fields.conversation_id ?? null,
      reason: fields.trigger_reason ?? '',
      outcome: fields.outcome ?? '',
      isFailed: event === 'run.failed',
      tokensBefore: fields.token_before ?? 0,
      tokensAfter: fields.token_after ?? 0,
      nodes: fields.nodes ?? 0,
      durationMs: fields.duration_ms ?? 0,
    })),
    scans: events('scan.done').map(({ atMs, fields }) => ({
      atMs,
      errors: fields.errors ?? 0,
      warnings: fields.warnings ?? 0,
      durationMs: fields.duration_ms ?? 0,
    })),
    probes: events('probe.done').map(({ atMs, fields }) => ({
      atMs,
      conversationId: fields.conversation_id ?? null,
      questions: fields.questions ?? 0,
      recall: fields.recall ?? 0,
    })),
    search: latencies('lcm_search_latency_ms'),
    expand: latencies('lcm_expand_latency_ms'),
    slowCalls: events('call.slow').map(({ atMs, fields }) => ({
      atMs,
      procedure: fields.procedure ?? '',
      durationMs: fields.duration_ms ?? 0,
    })),
    jobs: jobsOf(events('job.started', 'job.done', 'job.failed')),
  }
}

type ShownJob = ActivityHistory['jobs'][number]

/** Joins the beginning and the end of each job. One without an end runs, or ended with its program. */
function jobsOf(events: readonly KeptEvent[]): ShownJob[] {
  const jobs = new Map<string, ShownJob>()
  for (const { atMs, event, pid, fields } of events) {
    const { job_id: jobId, job_kind: kind, conversation_id: conversationId = null } = fields
    if (jobId === undefined || kind === undefined) continue
    if (event === 'job.started') {
      const state = isAlive(pid) ? 'running' : 'cut_off'
      jobs.set(jobId, { jobId, kind, conversationId, startedAtMs: atMs, finishedAtMs: null, state, errorCode: null })
      continue
    }
    const startedAtMs = jobs.get(jobId)?.startedAtMs ?? atMs - (fields.duration_ms ?? 0)
    const state = fields.outcome === 'cancelled' || fields.outcome === 'failed' ? fields.outcome : 'done'
    const errorCode = fields.error_code ?? null
    jobs.set(jobId, { jobId, kind, conversationId, startedAtMs, finishedAtMs: atMs, state, errorCode })
  }
  return [...jobs.values()]
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process has the number now, or nobody has.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const HOUR_MS = 3_600_000

/** An hour of a day, six of a week, and a day of a month: a chart can show this many parts apart. */
const partOf = (timeMs: number): number => (timeMs <= 48 * HOUR_MS ? 1 : timeMs <= 192 * HOUR_MS ? 6 : 24) * HOUR_MS

/** Adds up the histograms of each part of the time, and reads the median and the 95th percentile off them. */
function latenciesOf(samples: readonly HourSample[], partMs: number): Latency[] {
  const parts = new Map<number, Map<number, number>>()
  for (const { hourMs, sample, labels, value } of samples) {
    if (!sample.endsWith('_bucket')) continue
    const fromMs = hourMs - (hourMs % partMs)
    const buckets = parts.get(fromMs) ?? new Map<number, number>()
    parts.set(fromMs, buckets)
    const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le)
    buckets.set(bound, (buckets.get(bound) ?? 0) + value)
  }
  return [...parts].map(([fromMs, buckets]) => {
    const sorted = [...buckets].sort(([a], [b]) => a - b)
    const count = sorted.at(-1)?.[1] ?? 0
    const toMs = fromMs + partMs
    return { fromMs, toMs, count, p50Ms: quantile(sorted, count * 0.5), p95Ms: quantile(sorted, count * 0.95) }
  })
}

/** Between two bounds the observations are taken to be evenly spread, as Prometheus does. */
function quantile(cumulative: readonly (readonly [bound: number, count: number])[], rank: number): number {
  let [below, countBelow] = [0, 0]
  for (const [bound, count] of cumulative) {
    if (count >= rank) {
      if (bound === Number.POSITIVE_INFINITY) return below
      const share = count === countBelow ? 1 : (rank - countBelow) / (count - countBelow)
      return below + (bound - below) * share
    }
    below = bound
    countBelow = count
  }
  return below
}
