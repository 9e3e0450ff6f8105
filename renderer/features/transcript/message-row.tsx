import { memo, useMemo, useRef } from 'react'
import type { Message } from '#core/contract/message.ts'
import type { CompactionMark } from '#core/contract/time-travel.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import type { MessageRange } from '#renderer/ui/data/range-address.ts'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { useFoundMarks } from '#renderer/ui/texts/use-found-marks.ts'
import type { Block } from './blocks.ts'
import { CallResult, OtherHalf } from './call-result.tsx'
import { isInside, keepTextUnmarked } from './chosen-messages.ts'
import { CoverageGutter } from './coverage-gutter.tsx'
import { type Neighbour, stripesOf } from './gutter.ts'
import { MessageBody } from './message-body.tsx'
import { MessageHead } from './message-head.tsx'
import styles from './message-row.module.css'
import { SubAgents } from './sub-agent-fold.tsx'
import type { PlacedAgent } from './sub-agents.ts'
import type { ToolPairs } from './tool-pairs.ts'

type Props = {
  readonly message: Message
  readonly before: Neighbour
  readonly after: Neighbour
  /** The number of columns of the gutter. */
  readonly columns: number
  readonly selection: string | null
  /** True when the selected summary covers it. */
  readonly isInRange: boolean
  /** The results that are drawn under the calls of this message, and where other halves are. */
  readonly pairs: ToolPairs
  /** The sub-agents that this row started. */
  readonly agents: readonly PlacedAgent[]
  /** Compactions that ran when the last message of this row was the newest. */
  readonly compactions?: readonly CompactionMark[] | undefined
  /** The messages that are selected together. */
  readonly range: MessageRange | null
  /** Selects a summary. */
  readonly onSelect: (id: string) => void
  /** Selects a message, or extends the selection to it. */
  readonly onPick: (message: Message, isExtending: boolean) => void
}

/** One message with its coverage beside it, and below it the compactions at that moment. */
export const MessageRow = memo(function MessageRow(props: Props) {
  const { message, before, after, columns, selection, isInRange, pairs, agents, compactions, range, onSelect, onPick } =
    props
  const stripes = useMemo(() => stripesOf(message, before, after, columns), [message, before, after, columns])
  const isSelected = message.id === selection
  const main = useRef<HTMLDivElement>(null)
  useFoundMarks(main, isSelected ? message.id : null)
  const below = (block: Block) => {
    const elsewhere = pairs.elsewhere.get(block.key)
    return (
      <>
        <SubAgents agents={agents} messageId={message.id} blockKey={block.key} />
        {pairs.results.get(block.key)?.map((result) => (
          <CallResult key={result.id} message={result} inList={{ selection, range, onPick }} />
        ))}
        {elsewhere && <OtherHalf of={block.kind === 'tool_call' ? 'call' : 'result'} elsewhere={elsewhere} />}
      </>
    )
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k select, see the view
    <article
      className={classNames(
        styles.row,
        isSelected && styles.selected,
        isInRange && styles.inRange,
        isInside(range, message.position) && styles.chosen,
      )}
      aria-label={`${message.role} ${message.id}`}
      aria-current={isSelected ? 'true' : undefined}
      data-role={message.role}
      data-position={message.position}
      onMouseDown={keepTextUnmarked}
      onClick={(event) => {
        // Marking text to copy it does not select the message.
        if (window.getSelection()?.isCollapsed !== false) onPick(message, event.shiftKey)
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
        <MessageBody message={message} below={below} />
        <SubAgents agents={agents} messageId={message.id} blockKey={null} />
        {compactions?.map((mark) => (
          <CompactionDivider key={mark.summaryId} mark={mark} />
        ))}
      </div>
    </article>
  )
})

/**
 * The row of a message that is drawn under its call. The list has one row for each message. Only the stripes of
 * summaries that cover the message `after` the results of the call, too, go on in it.
 */
export function JoinedRow({ message, after, columns }: Pick<Props, 'message' | 'after' | 'columns'>) {
  return (
    <div className={styles.joined} aria-hidden="true" inert>
      <CoverageGutter
        stripes={stripesOf(message, message, after, columns).map((stripe) => (stripe?.ends ? null : stripe))}
        selection={null}
        visibility={message.visibility}
        isPruned={message.pruned !== undefined}
        onSelect={() => undefined}
      />
    </div>
  )
}

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
