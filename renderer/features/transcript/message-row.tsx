import { memo, useMemo, useRef } from 'react'
import type { Message } from '../../../core/contract/message.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatTokens, plural } from '../../ui/format.ts'
import { NodeLink } from '../../ui/node-link.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { useFoundMarks } from '../../ui/use-found-marks.ts'
import type { CompactionMark } from './compaction-marks.ts'
import { CoverageGutter } from './coverage-gutter.tsx'
import { type Neighbour, stripesOf } from './gutter.ts'
import { MessageBody } from './message-body.tsx'
import { MessageHead } from './message-head.tsx'
import styles from './message-row.module.css'

type Props = {
  readonly message: Message
  readonly before: Neighbour
  readonly after: Neighbour
  /** The number of columns of the gutter. */
  readonly columns: number
  readonly selection: string | null
  /** True when the selected summary covers it. */
  readonly isInRange: boolean
  /** Compactions that ran when this message was the newest. */
  readonly compactions?: readonly CompactionMark[] | undefined
  readonly onSelect: (id: string) => void
}

/** One message with its coverage beside it, and below it the compactions at that moment. */
export const MessageRow = memo(function MessageRow(props: Props) {
  const { message, before, after, columns, selection, isInRange, compactions, onSelect } = props
  const stripes = useMemo(() => stripesOf(message, before, after, columns), [message, before, after, columns])
  const isSelected = message.id === selection
  const main = useRef<HTMLDivElement>(null)
  useFoundMarks(main, isSelected ? message.id : null)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k select, see the view
    <article
      className={classNames(styles.row, isSelected && styles.selected, isInRange && styles.inRange)}
      aria-label={`${message.role} ${message.id}`}
      aria-current={isSelected ? 'true' : undefined}
      data-role={message.role}
      onClick={() => {
        // Marking text to copy it does not select the message.
        if (!isSelected && window.getSelection()?.isCollapsed !== false) onSelect(message.id)
      }}
    >
      <CoverageGutter
        stripes={stripes}
        selection={selection}
        visibility={message.visibility}
        isPruned={message.pruned !== undefined}
        onSelect={onSelect}
      />
      <div ref={main} className={styles.main}>
        <MessageHead message={message} />
        <MessageBody message={message} />
        {compactions?.map((mark) => (
          <CompactionDivider key={mark.summaryId} mark={mark} />
        ))}
      </div>
    </article>
  )
})

/** Keeps the space of a message that is being loaded. */
export function PlaceholderRow({ heightPx }: { readonly heightPx: number }) {
  return <div className={styles.placeholder} style={{ height: heightPx }} aria-hidden="true" />
}

/** Shown between two messages: a compaction ran when the one above was the newest. */
function CompactionDivider({ mark }: { readonly mark: CompactionMark }) {
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
