import { formatTokens, plural } from '../../ui/format.ts'
import { NodeLink } from '../../ui/node-link.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './compaction-divider.module.css'
import type { CompactionMark } from './compaction-marks.ts'

/** Between two messages: a compaction ran when the one above was the newest. */
export function CompactionDivider({ mark }: { readonly mark: CompactionMark }) {
  const { atMs, isExact, summaries, summaryId, activeTokens } = mark
  return (
    <p
      className={styles.divider}
      title={
        isExact
          ? 'The message above was the newest when this compaction ran'
          : 'Reconstructed: the file keeps no log of its window, so creation times say when this compaction ran'
      }
    >
      context was compacted here <TimeText atMs={atMs} form="short" /> · {plural(summaries, 'summary', 'summaries')}{' '}
      made, the last <NodeLink id={summaryId} maxChars={24} /> · {formatTokens(activeTokens)} active after it
      {!isExact && ' · by creation times'}
    </p>
  )
}
