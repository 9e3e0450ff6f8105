import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Job } from '#core/contract/job.ts'
import type { SearchIndexStatus } from '#core/contract/search-index.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { ProgressBar } from '#renderer/ui/charts/progress-bar.tsx'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { useJob } from '#renderer/ui/data/use-job.ts'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { formatBytes, formatCount, formatDuration, formatPercent, plural } from '#renderer/ui/texts/format.ts'
import { jobOutcome } from '#renderer/ui/texts/job-text.ts'
import type { Filters, SearchSort } from './filters.ts'
import type { Grouping } from './hit-rows.ts'
import styles from './search-summary.module.css'
import type { Search } from './use-search.ts'
import { vectorsText } from './vectors-text.ts'

type Props = {
  readonly search: Search
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
}

const SORTS: Readonly<Record<SearchSort, string>> = {
  auto: 'newest first, a question by relevance',
  newest: 'newest first',
  oldest: 'oldest first',
  relevance: 'by relevance',
}
const GROUPINGS: Readonly<Record<Grouping, string>> = {
  conversation: 'by conversation',
  cover: 'by covering summary',
}

/** The number of hits, the time taken, remarks about the answer, and the arrangement of the list. */
export function SearchSummary({ search, filters, onFilters }: Props) {
  const { phase, isStale, result, scanned, rows } = search
  const isScanning = phase === 'running' && rows > 0
  return (
    <div className={styles.summary}>
      <div className={styles.line} data-stale={isStale && phase !== 'running'}>
        <span role="status" className={styles.count}>
          <Count search={search} filters={filters} />
        </span>
        {isScanning && (
          <span className={styles.scan}>
            <ProgressBar label="Texts looked at" done={scanned} total={rows} />
            <span>{readText(search, filters)}</span>
            <Button className={styles.stop} onClick={search.stop}>
              Stop
            </Button>
          </span>
        )}
        <span className={styles.layout}>
          <Choice<Grouping>
            label="Grouped"
            names={GROUPINGS}
            value={filters.group}
            onChange={(group) => onFilters({ ...filters, group })}
          />
          <Choice<SearchSort>
            label="Order"
            names={SORTS}
            shown={SORTS[result?.sort ?? (filters.sort === 'auto' ? 'newest' : filters.sort)]}
            value={filters.sort}
            onChange={(sort) => onFilters({ ...filters, sort })}
          />
        </span>
      </div>
      <div className={styles.notes}>
        {!isStale && result?.notes.map((note) => <p key={note}>{note}</p>)}
        <IndexLine />
        {filters.mode === 'full_text' && filters.match === 'question' && <VectorLine />}
        {search.isBehind && (
          <p>
            The file has changed since.{' '}
            <button type="button" className={styles.again} onClick={search.again}>
              Search again
            </button>
          </p>
        )}
      </div>
    </div>
  )
}

/** How much was read; a search of large files counts bytes. */
const readText = ({ scanned, rows }: Search, { scope }: Filters): string =>
  scope === 'files'
    ? `${formatBytes(scanned)} of ${formatBytes(rows)}`
    : `${formatCount(scanned)} of ${formatCount(rows)} texts`

function Count({ search, filters }: Pick<Props, 'search' | 'filters'>) {
  const { phase, found, result } = search
  if (result === null || phase === 'running') {
    if (phase === 'stopped')
      return (
        <>
          Stopped: <b>{plural(found, 'hit')}</b> in {readText(search, filters)}
        </>
      )
    if (phase !== 'running') return null
    if (found === 0) return 'Searching…'
    return (
      <>
        <b>{plural(found, 'hit')}</b> so far
      </>
    )
  }
  return (
    <>
      {!result.totalIsExact && 'at least '}
      <b>{plural(result.total, 'hit')}</b> · {formatDuration(result.tookMs)}
    </>
  )
}

type ChoiceProps<T extends string> = {
  readonly label: string
  readonly names: Readonly<Record<T, string>>
  /** What the button says; default: the name of the value. */
  readonly shown?: string
  readonly value: T
  readonly onChange: (value: T) => void
}

function Choice<T extends string>({ label, names, value, shown = names[value], onChange }: ChoiceProps<T>) {
  return (
    <Menu
      label={`${label}: ${shown}`}
      items={(Object.keys(names) as T[]).map((each) => ({
        label: names[each],
        isChecked: each === value,
        onSelect: () => onChange(each),
      }))}
    >
      {shown}
      <Icon name="chevronDown" />
    </Menu>
  )
}

/** Shows the progress of an index that is being built. It is empty when no search has to wait for one. */
function IndexLine() {
  const { status, job } = useSearchIndex()
  if (!status || status.jobId === null) return null
  const done = job?.progress?.done ?? status.indexedRows
  const total = job?.progress?.total ?? status.totalRows
  return (
    <p
      className={styles.indexLine}
      title={`${formatCount(done)} of ${formatCount(total)} texts, ${formatBytes(status.bytes)}`}
    >
      <span>An index for searching is being made</span>
      <span className={styles.bar}>
        <ProgressBar label="Search index" done={done} total={total} />
      </span>
      {total > 0 && <span>{formatPercent(Math.min(1, done / total))}</span>}
    </p>
  )
}

type SearchIndex = {
  readonly status: SearchIndexStatus | undefined
  /** The job that builds the index, while there is one. */
  readonly job: Job | null
}

/** Returns how searches are answered now, and the progress of an index for them. */
function useSearchIndex(): SearchIndex {
  const { data: status, refetch } = useQuery(api.retrieval.index.queryOptions())
  const { data: jobs } = useQuery(api.jobs.list.queryOptions())
  const job = jobs?.find(({ kind, state }) => kind === 'index' && state === 'running') ?? null
  const jobId = job?.jobId
  // biome-ignore lint/correctness/useExhaustiveDependencies: a job that began or ended says that the answer is another one
  useEffect(() => {
    void refetch()
  }, [jobId, refetch])
  return { status, job }
}

/**
 * Says which texts questions find in other words, and makes the vectors that are missing. It is empty without a model
 * for them, and when every text has its vectors.
 */
function VectorLine() {
  const { data: status, error, refetch } = useQuery(api.retrieval.vectors.queryOptions())
  const { data: jobs } = useQuery(api.jobs.list.queryOptions())
  const made = useJob()
  const job = jobs?.find(({ kind }) => kind === 'embed') ?? null
  const state = job?.state
  // biome-ignore lint/correctness/useExhaustiveDependencies: a job that began or ended says that the answer is another one
  useEffect(() => {
    void refetch()
  }, [job?.jobId, state, refetch])
  if (error) return <p role="alert">{toErrorInfo(error).message}</p>
  if (!status || status.provider === null) return null
  if (job && state === 'running') return <JobProgress job={job} title="Making vectors…" />
  const missing = status.totalTexts - status.texts
  const problem = made.error ?? (state === 'failed' ? job?.error : null)
  if (missing <= 0 && !problem) return null
  return (
    <>
      <p className={styles.indexLine}>
        <span>{vectorsText(status)}</span>
        <Button className={styles.make} disabled={made.isRunning} onClick={() => made.start({ kind: 'embed' })}>
          {status.texts === 0 ? 'Make vectors' : 'Go on'}
        </Button>
      </p>
      {problem ? (
        <p role="alert">{toErrorInfo(problem).message}</p>
      ) : (
        job?.result?.kind === 'embed' && job.result.value.outcome !== 'ready' && <p>{jobOutcome(job)}.</p>
      )}
    </>
  )
}
