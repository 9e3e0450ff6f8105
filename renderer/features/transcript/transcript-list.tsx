import { useCallback, useEffect, useRef, useState } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { navigate } from '../../routes.ts'
import { useListKeys } from '../../ui/use-list-keys.ts'
import type { CompactionMark } from './compaction-marks.ts'
import { useFoldMessage } from './folds.tsx'
import { JumpBar } from './jump-bar.tsx'
import { MessageRow, PlaceholderRow } from './message-row.tsx'
import { assumedRowPx, PLACEHOLDER_PX } from './pages.ts'
import styles from './transcript-list.module.css'
import { useLineageKeys } from './use-lineage-keys.ts'
import type { Located } from './use-located.ts'
import { useScroller } from './use-scroller.ts'
import type { RowRange } from './use-sight.ts'
import type { TranscriptRows } from './use-transcript.ts'

type Props = Pick<TranscriptRows, 'messageAt' | 'fetchAt'> & {
  readonly conversationId: number
  readonly total: number
  /** The number of columns of the gutter. */
  readonly columns: number
  readonly selection: string | null
  readonly located: Located['rows']
  /** The compactions by the position of the message that was the newest then. */
  readonly compactions: ReadonlyMap<number, readonly CompactionMark[]>
  readonly onSight: (range: RowRange) => void
}

/** The scrolled list. It moves by mouse, keys and jumps, and to a selection that was made elsewhere. */
export function TranscriptList(props: Props) {
  const { conversationId, total, columns, selection, located, compactions, messageAt, fetchAt, onSight } = props
  const list = useRef<VirtuosoHandle>(null)
  // A message that was selected here is in sight already. Scrolling to it would move the text under the pointer.
  const pickedHere = useRef<string | null>(selection)
  const { top, lookAtTop, reveal, scrollerRef } = useScroller(located?.first ?? 0)
  const [seenTotal, setSeenTotal] = useState(total)
  const foldMessage = useFoldMessage()

  const select = useCallback((id: string, how: 'push' | 'replace' = 'push') => {
    pickedHere.current = id
    navigate({ selection: id }, how)
  }, [])
  const scrollTo = useCallback((position: number, align: 'start' | 'center' | 'end') => {
    list.current?.scrollToIndex({ index: position, align })
  }, [])

  const first = located?.first
  useEffect(() => {
    if (first === undefined || selection === pickedHere.current) return
    pickedHere.current = selection
    scrollTo(first, 'center')
  }, [first, selection, scrollTo])

  // New messages scroll the list only when it is at its end already. The list's own way of following would also scroll
  // when rows get their height for the first time.
  const follows = useRef(false)
  const [isAtEnd, setAtEnd] = useState(false)
  useEffect(() => {
    if (follows.current) scrollTo(total - 1, 'end')
  }, [total, scrollTo])

  // The position of the keys, so that they need not wait until the selection is located.
  const cursor = useRef<{ readonly id: string; readonly position: number }>(null)
  const move = async (position: number) => {
    const target = Math.min(total - 1, Math.max(0, position))
    const message = await fetchAt(target)
    if (message === undefined) return
    cursor.current = { id: message.id, position: target }
    select(message.id, 'replace')
    if (!reveal(target)) scrollTo(target, 'center')
  }
  useListKeys({
    move: (steps) => {
      if (selection !== null && cursor.current?.id === selection) void move(cursor.current.position + steps)
      else void move(located === null ? top : steps > 0 ? located.last + 1 : located.first - 1)
    },
    start: () => void move(0),
    end: () => void move(total - 1),
    open: () => {
      if (selection !== null) foldMessage(selection)
    },
  })

  const deadEnd = useLineageKeys(selection, (id) => navigate({ selection: id }, 'push'))

  const row = useCallback(
    (position: number) => {
      const message = messageAt(position)
      if (message === undefined || message === null) return <PlaceholderRow heightPx={PLACEHOLDER_PX} />
      return (
        <MessageRow
          message={message}
          before={messageAt(position - 1)}
          after={messageAt(position + 1)}
          columns={columns}
          selection={selection}
          isInRange={selection !== null && message.coveredBy.some(({ id }) => id === selection)}
          compactions={compactions.get(position)}
          onSelect={select}
        />
      )
    },
    [messageAt, columns, selection, compactions, select],
  )

  return (
    <>
      <JumpBar
        conversationId={conversationId}
        total={total}
        columns={columns}
        top={top}
        isAtEnd={isAtEnd}
        topMessage={messageAt(top) ?? null}
        newer={total - seenTotal}
        deadEnd={deadEnd}
        onJump={(position) => scrollTo(position, position >= total - 1 ? 'end' : 'start')}
      />
      <Virtuoso
        ref={list}
        className={styles.list}
        role="feed"
        aria-label="Messages"
        totalCount={total}
        defaultItemHeight={assumedRowPx(total)}
        initialTopMostItemIndex={located === null ? 0 : { index: located.first, align: 'center' }}
        increaseViewportBy={300}
        atBottomStateChange={(isNow) => {
          follows.current = isNow
          setAtEnd(isNow)
          if (isNow) setSeenTotal(total)
        }}
        rangeChanged={({ startIndex, endIndex }) => {
          onSight({ first: startIndex, last: endIndex })
          lookAtTop()
        }}
        scrollerRef={scrollerRef}
        onScroll={lookAtTop}
        itemContent={row}
      />
    </>
  )
}
