import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { MapRun, MapRuns } from '#core/contract/map.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { useShown, useShownChoice } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { ViewHeader } from '#renderer/ui/controls/view-header.tsx'
import type { Browse } from '#renderer/ui/data/browse.ts'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { MakeWorkingCopy } from '#renderer/ui/parts/working-copy-dialog.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorLine, ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { plural } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { MapDialog } from './map-dialog.tsx'
import { EMPTY_MAP } from './map-form.ts'
import styles from './map-view.module.css'
import { countsText, operatorText, runsText, statusHint, statusTone } from './run-wording.ts'
import { StepList } from './step-list.tsx'

type Props = {
  readonly info: MemoryInfo
  readonly browse: Browse
}

/** The record is a file beside the memory, and no event tells that it has changed. */
const REFRESH_MS = 5_000
const REFRESH_RUNNING_MS = 1_500

/** Starts runs over lists of items, and shows those that are recorded beside the memory, also by decapod. */
export function MapView({ info, browse }: Props) {
  const runs = useQuery(
    api.map.runs.queryOptions({
      refetchInterval: ({ state }) =>
        state.data?.runs.some(({ status }) => status === 'running') ? REFRESH_RUNNING_MS : REFRESH_MS,
    }),
  )
  const [chosen, choose] = useShown('batch.run')
  const [form, setForm] = useState(EMPTY_MAP)
  const [isAsking, setAsking] = useState(false)
  const jobs = useQuery(api.jobs.list.queryOptions())
  const start = useMutation(api.jobs.start.mutationOptions())
  const started = jobs.data?.filter(({ kind }) => kind === 'map') ?? []
  const [newest] = started
  const { refetch } = runs
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that began or ended has changed the record
  useEffect(() => void refetch(), [refetch, newest?.jobId, newest?.state])
  if (runs.error) return <ErrorState error={runs.error} onRetry={() => void runs.refetch()} />
  if (!runs.data) return <Loading what="runs" lines={7} />
  const { data } = runs
  const run = data.runs.find(({ key }) => key === chosen) ?? data.runs[0]
  const open = () => {
    start.reset()
    setAsking(true)
  }
  const action =
    info.system === 'native' ? (
      <Button {...(run === undefined && { look: 'primary' as const })} onClick={open}>
        New run…
      </Button>
    ) : (
      <MakeWorkingCopy info={info} />
    )
  return (
    <div className={styles.view}>
      {run !== undefined && (
        <ViewHeader title={plural(data.runs.length, 'run')} actions={action}>
          {runsText(data) || data.path}
        </ViewHeader>
      )}
      {started
        .filter(({ state }) => state === 'running')
        .map((job) => (
          <div key={job.jobId} className={styles.job}>
            <JobProgress job={job} title="Mapping…" />
          </div>
        ))}
      {newest?.state === 'failed' && (
        <div className={styles.job}>
          <ErrorLine error={newest.error} onRetry={open} />
        </div>
      )}
      {run === undefined ? (
        <NoRuns data={data} info={info} action={action} />
      ) : (
        <>
          <RunTable runs={data.runs} chosen={run.key} onChoose={choose} />
          <RunDetail key={run.key} run={run} />
        </>
      )}
      {isAsking && (
        <MapDialog
          {...{ form, browse }}
          onChange={setForm}
          isStarting={start.isPending}
          error={start.error}
          onStart={(map) =>
            start.mutate(
              { ...map, kind: 'map' },
              {
                onSuccess: () => {
                  setAsking(false)
                  choose(null)
                  void jobs.refetch()
                },
              },
            )
          }
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}

type NoRunsProps = { readonly data: MapRuns; readonly info: MemoryInfo; readonly action: ReactNode }

function NoRuns({ data: { unreadable, path }, info, action }: NoRunsProps) {
  return (
    <EmptyState title={unreadable > 0 ? 'No run can be read' : 'No runs'} actions={action}>
      {unreadable > 0 && `${plural(unreadable, 'line')} of ${path} cannot be read as a run. `}A run does the same work
      for every item of a list: it asks a model about each item, or delegates each to a command.{' '}
      {info.system === 'native'
        ? 'It is recorded beside this memory.'
        : `It is recorded beside the memory, and nothing is written to the folder of ${info.systemLabel}: make a working copy first.`}
    </EmptyState>
  )
}

const ONLY_NAMES = ['all', 'retries', 'failures'] as const

const ONLY = [
  { value: 'all', label: 'All', hint: 'Every try that failed and every result' },
  { value: 'retries', label: 'Retries', hint: 'Tries that failed, and results that needed more than one' },
  { value: 'failures', label: 'Failures', hint: 'Items that have no valid result' },
] as const

/** The details of one run and the results of its items. */
function RunDetail({ run }: { readonly run: MapRun }) {
  const [only, setOnly] = useShownChoice('batch.only', ONLY_NAMES)
  const { runId, hasJournal, retain, actor, atMs, hashes } = run
  return (
    <section className={styles.detail} aria-label="Run">
      <div className={styles.facts}>
        <Facts>
          <Fact name="operation">{operatorText({ ...run, retain: null })}</Fact>
          <Fact name="retained">{retain === null ? null : <bdi>{retain}</bdi>}</Fact>
          <Fact name="items">{countsText(run)}</Fact>
          <Fact name="by">{actor === null ? null : <bdi>{actor}</bdi>}</Fact>
          <Fact name="recorded">{atMs === null ? null : <TimeText atMs={atMs} form="short" />}</Fact>
          <Fact name="run">{runId === null ? null : <code>{runId}</code>}</Fact>
          {Object.entries(hashes).map(([name, hash]) => (
            <Fact key={name} name={name.replaceAll('_', ' ')}>
              <code className={styles.hash}>{hash}</code>
            </Fact>
          ))}
        </Facts>
      </div>
      {runId !== null && hasJournal ? (
        <>
          <div className={styles.toolbar}>
            <Segmented label="Which items" options={ONLY} value={only} onChange={setOnly} />
          </div>
          <StepList key={only} runId={runId} only={only} isRunning={run.status === 'running'} />
        </>
      ) : (
        <EmptyState title="Items are not recorded">
          {runId === null
            ? 'The program that recorded this run keeps no record of its items.'
            : 'The journal of this run is not beside the memory any more.'}
        </EmptyState>
      )}
    </section>
  )
}

type RunTableProps = {
  /** The newest first. */
  readonly runs: readonly MapRun[]
  readonly chosen: string
  readonly onChoose: (key: string) => void
}

const ROW_PX = 30
/** A few runs take no more room than they need. */
const MOST_ROWS_IN_SIGHT = 8

/** The recorded runs, one of which is selected. */
function RunTable({ runs, chosen, onChoose }: RunTableProps) {
  return (
    <DataTable
      label="Runs"
      rows={runs}
      columns={COLUMNS}
      layout={styles.runs}
      keyOf={({ key }) => key}
      rowPx={ROW_PX}
      heightPx={Math.min(runs.length, MOST_ROWS_IN_SIGHT) * ROW_PX}
      hasHeads={false}
      selected={chosen}
      onSelect={({ key }) => onChoose(key)}
      isMain
    />
  )
}

const COLUMNS: readonly Column<MapRun>[] = [
  {
    id: 'status',
    title: 'status',
    cell: (run) => (
      <Chip tone={statusTone(run.status)} title={statusHint(run)}>
        {run.status}
      </Chip>
    ),
  },
  { id: 'operation', title: 'operation', cell: (run) => <bdi>{operatorText(run)}</bdi>, cellTitle: operatorText },
  { id: 'counts', title: 'items', cell: countsText },
  { id: 'actor', title: 'by', className: 'dim', cell: ({ actor }) => actor !== null && <bdi>{actor}</bdi> },
  { id: 'time', title: 'begun', className: styles.time, cell: ({ atMs }) => <TimeText atMs={atMs} /> },
]
