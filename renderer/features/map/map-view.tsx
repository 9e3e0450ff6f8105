import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { plural } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { ViewHeader } from '../../ui/view-header.tsx'
import styles from './map-view.module.css'
import { RunDetail } from './run-detail.tsx'
import { RunTable } from './run-table.tsx'
import { runsText } from './run-wording.ts'

/** The record is a file beside the memory, and no event tells that it has changed. */
const REFRESH_MS = 5_000
const REFRESH_RUNNING_MS = 1_500

/** Runs over lists of items that are recorded beside the memory: those of `lcm map`, and those of decapod. */
export function MapView() {
  const runs = useQuery(
    api.map.runs.queryOptions({
      refetchInterval: ({ state }) =>
        state.data?.runs.some(({ status }) => status === 'running') ? REFRESH_RUNNING_MS : REFRESH_MS,
    }),
  )
  const [chosen, choose] = useState<string | null>(null)
  if (runs.error) return <ErrorState error={runs.error} onRetry={() => void runs.refetch()} />
  if (!runs.data) return <Loading what="runs" lines={7} />
  const { data } = runs
  const run = data.runs.find(({ key }) => key === chosen) ?? data.runs[0]
  if (run === undefined)
    return (
      <EmptyState title={data.unreadable > 0 ? 'No run can be read' : 'No runs'}>
        {data.unreadable > 0 ? (
          `${plural(data.unreadable, 'line')} of ${data.path} cannot be read as a run.`
        ) : (
          <>
            No run over a list of items is recorded beside this memory. <code>lcm map llm</code> asks a model about each
            item of a list, <code>lcm map agentic</code> delegates each to a command.
          </>
        )}
      </EmptyState>
    )
  return (
    <div className={styles.view}>
      <ViewHeader title={plural(data.runs.length, 'run')}>{runsText(data) || data.path}</ViewHeader>
      <RunTable runs={data.runs} chosen={run.key} onChoose={choose} />
      <RunDetail key={run.key} run={run} />
    </div>
  )
}
