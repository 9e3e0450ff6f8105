import { useState } from 'react'
import type { LogLine, LogPage } from '../../../core/contract/activity.ts'
import { useShownChoice } from '../../routes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatBytes } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useCopy } from '../../ui/use-copy.ts'
import { useKeys } from '../../ui/use-keys.ts'
import { JobTable, SlowCallTable } from './activity-tables.tsx'
import { LineDrawer } from './line-drawer.tsx'
import { fieldsText } from './line-text.ts'
import { LogList } from './log-list.tsx'
import { LIST_NAMES, LogToolbar } from './log-toolbar.tsx'
import styles from './logs-view.module.css'
import { MetricsSection } from './metrics-section.tsx'
import { type Logs, useLogs } from './use-logs.ts'

const keyOf = ({ time, pid, event, summary_id = '' }: LogLine): string => `${time} ${pid} ${event} ${summary_id}`

/** What the program did: charts over time, the log, slow calls and jobs. */
export function LogsView() {
  const logs = useLogs()
  const [list, setList] = useShownChoice('logs.list', LIST_NAMES)
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
