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
import { type Target, useScroller } from './use-scroller.ts'
import type { RowRange } from './use-sight.ts'
import type { TranscriptRows } from './use-transcript.ts'

type Props = Pick<TranscriptRows, 'messageAt' | 'fetchAt'> & {
  readonly conversationId: number
  /** The position of the first row in the conversation, which has `all` messages. */
  readonly first: number
  readonly all: number
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
  const {
    conversationId,
    first: offset,
    all,
    total,
    columns,
    selection,
    located,
    compactions,
    messageAt,
    fetchAt,
    onSight,
  } = props
  const list = useRef<VirtuosoHandle>(null)
  // A message that was selected here is in sight already. Scrolling to it would move the text under the pointer.
  const pickedHere = useRef<string | null>(selection)
  const [initial] = useState<Target | null>(() => located && { position: located.first, align: 'center' })
  const scroller = useScroller(list, total, initial)
  const { top, isAtEnd, goTo, reveal } = scroller
  const [seenTotal, setSeenTotal] = useState(total)
  if (isAtEnd && seenTotal !== total) setSeenTotal(total)
  const foldMessage = useFoldMessage()

  const select = useCallback((id: string, how: 'push' | 'replace' = 'push') => {
    pickedHere.current = id
    navigate({ selection: id }, how)
  }, [])

  const first = located?.first
  useEffect(() => {
    if (first === undefined || selection === pickedHere.current) return
    pickedHere.current = selection
    goTo({ position: first, align: 'center' })
  }, [first, selection, goTo])

  // The position of the keys, so that they need not wait until the selection is located.
  const cursor = useRef<{ readonly id: string; readonly position: number }>(null)
  const move = async (position: number) => {
    const target = Math.min(total - 1, Math.max(0, position))
    const message = await fetchAt(target)
    if (message === undefined) return
    cursor.current = { id: message.id, position: target }
    select(message.id, 'replace')
    if (target === total - 1) goTo({ position: target, align: 'end' })
    else if (!reveal(target)) goTo({ position: target, align: 'center' })
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
        first={offset}
        all={all}
        total={total}
        columns={columns}
        top={top}
        isAtEnd={isAtEnd}
        topMessage={messageAt(top) ?? null}
        newer={total - seenTotal}
        deadEnd={deadEnd}
        onJump={(position) => goTo({ position, align: position >= total - 1 ? 'end' : 'start' })}
      />
      <Virtuoso
        ref={list}
        className={styles.list}
        role="feed"
        aria-label="Messages"
        totalCount={total}
        defaultItemHeight={assumedRowPx(total)}
        initialTopMostItemIndex={initial === null ? 0 : { index: initial.position, align: initial.align }}
        increaseViewportBy={300}
        rangeChanged={({ startIndex, endIndex }) => {
          onSight({ first: startIndex, last: endIndex })
          scroller.lookAtRows()
        }}
        totalListHeightChanged={scroller.onHeights}
        scrollerRef={scroller.scrollerRef}
        onScroll={scroller.lookAtRows}
        itemContent={row}
      />
    </>
  )
}
