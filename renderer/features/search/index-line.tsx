import { formatBytes, formatCount, formatPercent } from '../../ui/format.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import styles from './index-line.module.css'
import { useSearchIndex } from './use-search-index.ts'

/** That an index is being made, and how far it is; nothing when there is nothing to wait for. */
export function IndexLine() {
  const { status, job } = useSearchIndex()
  if (status?.state !== 'building') return null
  const done = job?.progress?.done ?? status.indexedRows
  const total = job?.progress?.total ?? status.totalRows
  return (
    <p
      className={styles.line}
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
