import type { ReadDb } from '../../sqlite/read-db.ts'
import { kindCounts } from '../../systems/records/summaries.ts'
import { runCounts } from '../../systems/records/tallies.ts'
import type { MemoryStats } from '../stats/memory-stats.ts'

type Kind = 'gauge' | 'counter'
type Sample = { readonly labels: Readonly<Record<string, string | number>>; readonly value: number }

/** The seconds of what is measured while the metrics are made, or null when there was nothing to measure. */
export type Measured = {
  readonly expandMs: number | null
  readonly searchMs: number | null
  /** The number of findings (errors and warnings) by check, or null when the file was not scanned. */
  readonly failures: readonly { readonly check: string; readonly severity: string; readonly count: number }[] | null
}

/**
 * Writes the figures of a memory in the text format of Prometheus. No text and no id of a node is included.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metricsText(
  { stats, read }: { readonly stats: MemoryStats; readonly read: ReadDb },
  measured: Measured,
): string {
  const runs = runCounts(read)
  const created = kindCounts(read)
  const rows = stats.conversations()
  const of = (conversation: number) => ({ conversation_id: conversation })
  return [
    family(
      'lcm_context_tokens_total',
      'gauge',
      'Tokens of the assembled context window.',
      rows.map((row) => ({ labels: of(row.conversationId), value: row.contextTokens })),
    ),
    family(
      'lcm_active_tokens_total',
      'gauge',
      'Tokens of the active context items, in the assembled window or left out.',
      rows.map((row) => ({ labels: of(row.conversationId), value: row.activeTokens })),
    ),
    family(
      'lcm_compaction_runs_total',
      'counter',
      'Compaction runs that the file records.',
      rows.map((row) => ({ labels: of(row.conversationId), value: runs.get(row.conversationId) ?? 0 })),
    ),
    family(
      'lcm_summaries_created_total',
      'counter',
      'Summaries in the file.',
      ['leaf', 'condensed'].map((kind) => ({ labels: { kind }, value: created.get(kind) ?? 0 })),
    ),
    family(
      'lcm_expand_latency_ms',
      'gauge',
      'Milliseconds of expanding a summary of the file.',
      one(measured.expandMs),
    ),
    family('lcm_search_latency_ms', 'gauge', 'Milliseconds of a full-text search of the file.', one(measured.searchMs)),
    ...(measured.failures === null
      ? []
      : [
          family(
            'lcm_integrity_failures_total',
            'gauge',
            'Findings of the integrity checks.',
            measured.failures.map(({ check, severity, count }) => ({ labels: { check, severity }, value: count })),
          ),
        ]),
  ].join('')
}

const one = (value: number | null): Sample[] => (value === null ? [] : [{ labels: {}, value }])

function family(name: string, kind: Kind, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({ labels, value }) => {
    const list = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text))}"`)
    return `${name}${list.length > 0 ? `{${list.join(',')}}` : ''} ${value}`
  })
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n')
}

const escaped = (text: string): string => text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')
