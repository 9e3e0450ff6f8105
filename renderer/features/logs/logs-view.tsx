import { useState } from 'react'
import type { LineLevel, LogLine, LogPage } from '#core/contract/activity.ts'
import { useShownChoice } from '#renderer/routes.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { Notice } from '#renderer/ui/states/notice.tsx'
import search from '#renderer/ui/styles/search-input.module.css'
import { formatBytes, formatCount, formatDuration } from '#renderer/ui/texts/format.ts'
import { formatAbsolute, formatDate } from '#renderer/ui/texts/format-time.ts'
import { JobTable, SlowCallTable } from './activity-tables.tsx'
import { LineDrawer } from './line-drawer.tsx'
import { clockText, fieldsText, LEVEL_MARKS, lineText } from './line-text.ts'
import { LiveFindings } from './live-findings.tsx'
import styles from './logs-view.module.css'
import { MetricsSection } from './metrics-section.tsx'
import { type Logs, useLogs } from './use-logs.ts'

const keyOf = ({ time, pid, event, summary_id = '' }: LogLine): string => `${time} ${pid} ${event} ${summary_id}`

/** What the program did: charts over time, the log, slow calls and jobs. */
export function LogsView() {
  const logs = useLogs()
  const [list, setList] = useShownChoice('activity.list', LIST_NAMES)
  const [chosen, setChosen] = useState<LogLine | null>(null)
  const { filter, change, log, history } = logs
  const pages = log.data?.pages ?? []
  const lines = pages.flatMap((page) => page.lines)
  const [, copy] = useCopy()
  useKeys({
    f: () => change({ isFollowing: !filter.isFollowing }),
    y: () => chosen !== null && copy(fieldsText(chosen)),
    Escape: () => (chosen !== null ? setChosen(null) : change({ range: null })),
  })
  const problem = pages[0]?.problem ?? history.data?.problem ?? null
  return (
    <div className={styles.page}>
      <div className={styles.main}>
        <LiveFindings />
        <MetricsSection logs={logs} />
        <LogToolbar logs={logs} list={list} onList={setList} />
        {problem !== null && (
          <div className={styles.problem}>
            <Notice title="Nothing is recorded.">{problem}</Notice>
          </div>
        )}
        <div className={styles.list}>
          {list === 'slow' && <SlowCallTable history={history.data} range={filter.range} />}
          {list === 'jobs' && <JobTable history={history.data} range={filter.range} />}
          {list === 'log' && <Log logs={logs} lines={lines} chosen={chosen} onChoose={setChosen} keyOf={keyOf} />}
        </div>
        {pages[0] !== undefined && <Footer page={pages[0]} isFollowing={filter.isFollowing} />}
      </div>
      {chosen !== null && (
        <LineDrawer
          line={chosen}
          onClose={() => setChosen(null)}
          onChoose={setChosen}
          onOnly={(query) => change({ query, range: null, isFollowing: false })}
        />
      )}
    </div>
  )
}

type LogProps = {
  readonly logs: Logs
  readonly lines: readonly LogLine[]
  readonly chosen: LogLine | null
  readonly onChoose: (line: LogLine) => void
  readonly keyOf: (line: LogLine) => string
}

function Log({ logs: { filter, change, log }, ...list }: LogProps) {
  if (log.error) return <ErrorState error={log.error} onRetry={() => void log.refetch()} />
  if (log.data === undefined) return <Loading what="the log" lines={7} />
  const { level = 'info' } = log.data.pages[0] ?? {}
  if (list.lines.length === 0 && !log.hasNextPage) {
    const isFiltered = filter.query !== '' || filter.range !== null
    return (
      <EmptyState title={isFiltered ? 'No line fits' : 'Nothing is logged yet'}>
        {isFiltered
          ? 'Take words out of the field, choose more levels, or press Esc to see the whole time again.'
          : level === 'silent'
            ? 'LCM_LOG_LEVEL is silent. Set it to info and start again, and what happens is listed here.'
            : 'Search, expand a summary or compact: what happens is listed here, without any text of a message.'}
      </EmptyState>
    )
  }
  return (
    <LogList
      {...list}
      onEnd={() => {
        if (!log.hasNextPage || log.isFetchingNextPage) return
        change({ isFollowing: false })
        void log.fetchNextPage()
      }}
    />
  )
}

function Footer({ page, isFollowing }: { readonly page: LogPage; readonly isFollowing: boolean }) {
  return (
    <p className={styles.footer}>
      <span>{footerText(page)}</span>
      <span className={styles.path}>{page.folder}</span>
      <span>{isFollowing ? 'following' : 'paused'}</span>
    </p>
  )
}

const footerText = ({ bytes, mostBytes, days }: LogPage): string =>
  `log ${formatBytes(bytes)} of ${formatBytes(mostBytes)}, kept ${days} days`

const LIST_NAMES = ['log', 'slow', 'jobs'] as const
type ShownList = (typeof LIST_NAMES)[number]

type LogToolbarProps = { readonly logs: Logs; readonly list: ShownList; readonly onList: (list: ShownList) => void }

const LISTS = [
  { value: 'log', label: 'Log' },
  { value: 'slow', label: 'Slow calls', hint: 'Calls of the window that took 200 ms or more' },
  { value: 'jobs', label: 'Jobs', hint: 'Jobs of this and of earlier sessions' },
] as const
const LEVELS: readonly LineLevel[] = ['error', 'warn', 'info', 'debug']

/** Which list is shown, and which lines of the log. */
function LogToolbar({ logs: { filter, change, log }, list, onList }: LogToolbarProps) {
  const counts = log.data?.pages.at(-1)?.counts
  const toggle = (level: LineLevel) => {
    const levels = filter.levels.includes(level)
      ? filter.levels.filter((one) => one !== level)
      : [...filter.levels, level]
    if (levels.length > 0) change({ levels })
  }
  return (
    <div className={styles.bar}>
      <Segmented label="List" options={LISTS} value={list} onChange={onList} />
      {list === 'log' && (
        <>
          <label className={classNames(search.field, styles.field)}>
            <Icon name="search" />
            <input
              type="search"
              value={filter.query}
              onChange={(event) => change({ query: event.target.value })}
              placeholder="event, id or word; -word leaves out"
              aria-label="Filter the log"
              autoComplete="off"
              spellCheck={false}
            />
          </label>
          {LEVELS.map((level) => (
            <button
              key={level}
              type="button"
              className={styles.level}
              data-level={level}
              aria-pressed={filter.levels.includes(level)}
              onClick={() => toggle(level)}
            >
              <span aria-hidden="true">{LEVEL_MARKS[level].mark}</span> {LEVEL_MARKS[level].name}
              {counts !== undefined && <span className={styles.count}>{formatCount(counts[level])}</span>}
            </button>
          ))}
          <button
            type="button"
            className={styles.level}
            data-level="follow"
            aria-pressed={filter.isFollowing}
            title="Show new lines as they come ( f )"
            onClick={() => change({ isFollowing: !filter.isFollowing })}
          >
            <span aria-hidden="true">●</span> Follow
          </button>
        </>
      )}
    </div>
  )
}

type LogListProps = {
  readonly lines: readonly LogLine[]
  readonly chosen: LogLine | null
  readonly onChoose: (line: LogLine) => void
  readonly onEnd: () => void
  readonly keyOf: (line: LogLine) => string
}

/** The lines, newest first. Lines of the same run as the selected one have a rail at their side. */
function LogList({ lines, chosen, onChoose, onEnd, keyOf }: LogListProps) {
  const day = lines[0] === undefined ? 'time' : formatDate(Date.parse(lines[0].time))
  return (
    <DataTable
      label="Log"
      rows={lines}
      columns={[{ ...TIME, title: day }, ...COLUMNS]}
      layout={styles.columns}
      keyOf={keyOf}
      rowPx={26}
      selected={chosen === null ? null : keyOf(chosen)}
      onSelect={onChoose}
      isMain
      onEnd={onEnd}
      rowClass={({ level, compaction_id: run }) =>
        classNames(
          styles.line,
          run !== undefined && run === chosen?.compaction_id && styles.ofRun,
          level !== 'info' && styles[level],
        )
      }
    />
  )
}

const TIME: Column<LogLine> = {
  id: 'time',
  title: 'time',
  className: styles.dim,
  cell: ({ time }) => clockText(time),
  cellTitle: ({ time }) => formatAbsolute(Date.parse(time)),
}

const COLUMNS: readonly Column<LogLine>[] = [
  {
    id: 'level',
    title: <span className="unseen">level</span>,
    className: styles.mark,
    cell: ({ level }) => (
      <>
        <span aria-hidden="true">{LEVEL_MARKS[level].mark}</span>
        <span className="unseen">{LEVEL_MARKS[level].name}</span>
      </>
    ),
    cellTitle: ({ level }) => LEVEL_MARKS[level].name,
  },
  { id: 'source', title: 'source', className: styles.dim, cell: ({ source }) => source },
  { id: 'event', title: 'event', className: styles.event, cell: ({ event }) => event, cellTitle: ({ event }) => event },
  { id: 'message', title: 'message', cell: lineText, cellTitle: lineText },
  {
    id: 'took',
    title: 'took',
    className: styles.took,
    cell: ({ duration_ms: took }) => took !== undefined && formatDuration(took),
  },
]
