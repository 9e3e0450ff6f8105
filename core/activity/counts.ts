import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { LogFields } from '../contract/activity.ts'
import { CompactionReason } from '../contract/compaction.ts'
import { SummaryKind } from '../contract/ids.ts'
import type { CheckResult } from '../contract/integrity.ts'
import type { ConversationRow } from '../contract/memory.ts'
import type { LogEvent } from '../log.ts'

/** Upper bounds of latencies in milliseconds, from an index that answers at once to a model that takes minutes. */
const BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 120_000]

type Labels = Readonly<Record<string, string | number>>
/** One number of a metric. The sample of a counter has its name, those of a histogram add `_bucket`, `_sum`, `_count`. */
export type Sample = {
  readonly metric: string
  readonly sample: string
  readonly labels: Labels
  readonly value: number
}

/** What a memory holds, and the rules by which it was just checked. */
export type MemoryFigures = {
  readonly conversations: readonly Pick<ConversationRow, 'conversationId' | 'contextTokens' | 'activeTokens'>[]
  readonly checks: readonly Pick<CheckResult, 'id' | 'severity'>[]
}

/** As prom-client has it. */
type MetricValue = { readonly metricName?: string; readonly labels: Labels; readonly value: number }

/** What is counted, each by the events that it is counted from. Documented in docs/observability.md. */
export class Counts {
  readonly #registry = new Registry()
  readonly #runs = this.#counter('lcm_compaction_runs_total', 'Compaction runs by reason and outcome.', [
    'memory',
    'reason',
    'outcome',
  ])
  readonly #summaries = this.#counter('lcm_summaries_created_total', 'Summaries that compactions wrote, by kind.', [
    'memory',
    'kind',
  ])
  readonly #findings = this.#counter('lcm_integrity_failures_total', 'Findings that integrity scans reported.', [
    'memory',
    'check',
    'severity',
  ])
  readonly #scans = this.#counter('lcm_integrity_scans_total', 'Integrity scans by all rules.', ['memory'])
  readonly #jobs = this.#counter('lcm_jobs_total', 'Jobs of the window by kind and outcome.', [
    'memory',
    'kind',
    'outcome',
  ])
  readonly #failures = this.#counter('lcm_call_failures_total', 'Calls that failed, by procedure and error code.', [
    'procedure',
    'code',
  ])
  readonly #expand = this.#latency('lcm_expand_latency_ms', 'Milliseconds of expansions.', ['memory'])
  readonly #search = this.#latency('lcm_search_latency_ms', 'Milliseconds of searches.', ['memory'])
  readonly #calls = this.#latency('lcm_call_latency_ms', 'Milliseconds of calls by procedure.', ['procedure'])
  readonly #models = this.#latency('lcm_model_latency_ms', 'Milliseconds of calls of models.', ['provider', 'outcome'])

  /** By event. */
  readonly #counting: Readonly<Record<string, (fields: LogFields, memory: string, ms: number) => void>> = {
    'run.done': (fields, memory) => this.#countRun(fields, memory),
    'run.failed': (fields, memory) => this.#countRun(fields, memory),
    'node.made': ({ kind = '' }, memory) => this.#summaries.inc({ memory, kind }),
    'check.failed': ({ check = '', severity = '', count = 0 }, memory) =>
      this.#findings.inc({ memory, check, severity }, count),
    'scan.done': (_fields, memory) => this.#scans.inc({ memory }),
    'job.done': (fields, memory) => this.#countJob(fields, memory),
    'job.failed': (fields, memory) => this.#countJob(fields, memory),
    'expand.done': (_fields, memory, ms) => this.#expand.observe({ memory }, ms),
    'search.done': (_fields, memory, ms) => this.#search.observe({ memory }, ms),
    'call.done': ({ procedure = '' }, _memory, ms) => this.#calls.observe({ procedure }, ms),
    'call.slow': ({ procedure = '' }, _memory, ms) => this.#calls.observe({ procedure }, ms),
    'call.failed': ({ procedure = '', error_code: code = '' }) => this.#failures.inc({ procedure, code }),
    'model.answered': ({ provider = '', outcome = '' }, _memory, ms) => this.#models.observe({ provider, outcome }, ms),
    'model.failed': ({ provider = '', outcome = '' }, _memory, ms) => this.#models.observe({ provider, outcome }, ms),
  }

  add({ event, fields }: LogEvent): void {
    this.#counting[event]?.(fields, fields.memory ?? '', fields.duration_ms ?? 0)
  }

  /** Returns what was counted since the last time. */
  async take(): Promise<Sample[]> {
    // The counts are taken before the reset, although the answer is awaited after it.
    const taking = this.#registry.getMetricsAsJSON()
    this.#registry.resetMetrics()
    return (await taking).flatMap(({ name, values }) =>
      (values as readonly MetricValue[]).map(({ metricName: sample = name, labels, value }) => ({
        metric: name,
        sample,
        labels,
        value,
      })),
    )
  }

  /**
   * Shows what a memory holds now, and zeros where nothing was counted of it yet, so that rates can be told from the
   * beginning.
   */
  showMemory(memory: string, { conversations, checks }: MemoryFigures): void {
    for (const reason of CompactionReason.options) {
      for (const outcome of ['target_reached', 'all_compacted', 'nothing_eligible', 'failed']) {
        this.#runs.inc({ memory, outcome, reason }, 0)
      }
    }
    for (const kind of SummaryKind.options) this.#summaries.inc({ memory, kind }, 0)
    for (const { id: check, severity } of checks) this.#findings.inc({ memory, check, severity }, 0)
    this.#expand.zero({ memory })
    this.#search.zero({ memory })
    const context = this.#gauge('lcm_context_tokens_total', 'Tokens of the assembled context window.')
    const active = this.#gauge(
      'lcm_active_tokens_total',
      'Tokens of the active context items, in the assembled window or left out.',
    )
    for (const { conversationId: conversation_id, contextTokens, activeTokens } of conversations) {
      context.set({ memory, conversation_id }, contextTokens)
      active.set({ memory, conversation_id }, activeTokens)
    }
  }

  /**
   * The text format of Prometheus, of what is counted here and what was kept before.
   * @param shown the labels that are shown of those that a sample has
   */
  async text(kept: readonly Sample[], shown: (labels: Labels) => Labels): Promise<string> {
    for (const { metric, sample, labels } of kept) {
      const histogram = this.#registry.getSingleMetric(metric)
      // Buckets are shown in their order, which what was kept does not have.
      if (sample.endsWith('_count') && histogram instanceof Histogram) histogram.zero(labels)
    }
    const known = await this.#registry.getMetricsAsJSON()
    const stored = known.map((metric) => ({
      ...metric,
      values: kept
        .filter((one) => one.metric === metric.name)
        .map(({ sample, labels, value }) => ({ metricName: sample, labels: shown(labels), value })),
    }))
    const counted = known.map((metric) => ({
      ...metric,
      values: (metric.values as readonly MetricValue[]).map(({ metricName = metric.name, labels, value }) => ({
        metricName,
        labels: shown(labels),
        value,
      })),
    }))
    return AggregatorRegistry.aggregate([counted, stored]).metrics()
  }

  #countRun({ trigger_reason, outcome = '' }: LogFields, memory: string): void {
    this.#runs.inc({ memory, reason: trigger_reason ?? '', outcome })
  }

  #countJob({ job_kind, outcome = '' }: LogFields, memory: string): void {
    this.#jobs.inc({ memory, kind: job_kind ?? '', outcome })
  }

  #counter<T extends string>(name: string, help: string, labelNames: T[]): Counter<T> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] })
  }

  #gauge(name: string, help: string): Gauge<'memory' | 'conversation_id'> {
    return new Gauge({ name, help, labelNames: ['memory', 'conversation_id'], registers: [this.#registry] })
  }

  #latency<T extends string>(name: string, help: string, labelNames: T[]): Histogram<T> {
    return new Histogram({ name, help, labelNames, buckets: BOUNDS_MS, registers: [this.#registry] })
  }
}
