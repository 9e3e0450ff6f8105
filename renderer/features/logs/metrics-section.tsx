import { useState } from 'react'
import type { ActivityHistory } from '#core/contract/activity.ts'
import { client } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatRange } from '#renderer/ui/texts/format-time.ts'
import styles from './logs-view.module.css'
import { FindingChart, LatencyChart, ProbeChart, RunChart, TokenChart } from './metric-charts.tsx'
import type { Logs, Of } from './use-logs.ts'

const DAYS = [
  { value: '1', label: '24 h' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
] as const
const MEMORIES: readonly { readonly value: Of; readonly label: string; readonly hint: string }[] = [
  { value: 'this', label: 'this memory', hint: 'What was done with the open file' },
  { value: 'all', label: 'all memories', hint: 'What was done with every file on this computer' },
]

/** Charts on one axis of time. */
export function MetricsSection({ logs: { filter, change, history } }: { readonly logs: Logs }) {
  const shown = filter.range ?? history.data
  return (
    <section className={styles.metrics} aria-label="Metrics">
      <div className={styles.head}>
        <h1 className={styles.title}>Metrics</h1>
        <Segmented
          label="Time"
          options={DAYS}
          value={String(filter.days) as '1' | '7' | '30'}
          onChange={(days) => change({ days: Number(days), range: null })}
        />
        <Segmented label="Memories" options={MEMORIES} value={filter.of} onChange={(of) => change({ of })} />
        <span className={styles.range}>{shown && formatRange(shown.fromMs, shown.toMs)}</span>
        {filter.range === null ? (
          <span className={styles.hint}>drag in a chart to filter the log</span>
        ) : (
          <Button look="quiet" onClick={() => change({ range: null })}>
            Whole time
          </Button>
        )}
        <CopyMetrics />
      </div>
      {history.error ? (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      ) : history.data === undefined ? (
        <Loading what="the metrics" />
      ) : (
        <div className={styles.charts}>
          {chartsOf(history.data).map((Chart) => (
            <Chart
              key={Chart.name}
              history={history.data}
              selected={filter.range}
              onSelect={(range) => change({ range, ...(range !== null && { isFollowing: false }) })}
            />
          ))}
        </div>
      )}
    </section>
  )
}

/** What probes found is shown once there was one. */
const chartsOf = ({ probes }: ActivityHistory) => [
  ...[RunChart, TokenChart, LatencyChart, FindingChart],
  ...(probes.length > 0 ? [ProbeChart] : []),
]

const COPIED = { idle: 'Copy as Prometheus', copied: 'Copied', failed: 'Not copied' } as const

function CopyMetrics() {
  const [state, setState] = useState<keyof typeof COPIED>('idle')
  const copy = async () => {
    const { text } = await client.activity.prometheus()
    await navigator.clipboard.writeText(text)
  }
  return (
    <Button
      onClick={() =>
        void copy().then(
          () => setState('copied'),
          () => setState('failed'),
        )
      }
    >
      {COPIED[state]}
    </Button>
  )
}
