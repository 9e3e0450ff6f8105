import { Button } from '../../ui/button.tsx'
import { formatBytes, formatCount, formatDuration, plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import type { Filters, SearchSort } from './filters.ts'
import type { Grouping } from './groups.ts'
import { IndexLine } from './index-line.tsx'
import styles from './search-summary.module.css'
import type { Search } from './use-search.ts'
import { VectorLine } from './vector-line.tsx'

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
    return phase === 'running' ? (
      <>
        <b>{plural(found, 'hit')}</b> so far
      </>
    ) : null
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
