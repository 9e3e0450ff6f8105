import type { GrepResult } from '../../../core/contract/retrieval.ts'
import { formatDuration, plural } from '../../ui/format.ts'
import styles from './search-summary.module.css'

type Props = {
  readonly result: GrepResult
  /** The answer to an earlier question. */
  readonly isStale: boolean
}

/** How many, how fast, and what has to be said about the answer. */
export function SearchSummary({ result, isStale }: Props) {
  return (
    <div className={styles.line} data-stale={isStale}>
      <span role="status">
        {!result.totalIsExact && 'at least '}
        <b>{plural(result.total, 'hit')}</b>
        <span className={styles.dim}> · {formatDuration(result.tookMs)}</span>
      </span>
      {result.notes.map((note) => (
        <span key={note} className={styles.note}>
          {note}
        </span>
      ))}
    </div>
  )
}
