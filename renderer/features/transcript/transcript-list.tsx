import { type UIEvent, useCallback, useEffect, useRef, useState } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { navigate } from '../../routes.ts'
import { useListKeys } from '../../ui/use-list-keys.ts'
import { useFoldMessage } from './folds.tsx'
import { JumpBar } from './jump-bar.tsx'
import { MessageRow, PlaceholderRow } from './message-row.tsx'
import { assumedRowPx } from './pages.ts'
import styles from './transcript-list.module.css'
import type { Located } from './use-located.ts'
import type { RowRange } from './use-sight.ts'
import type { TranscriptRows } from './use-transcript.ts'

type Props = Pick<TranscriptRows, 'messageAt' | 'fetchAt'> & {
  readonly conversationId: number
  readonly total: number
  /** Columns of the gutter. */
  readonly columns: number
  readonly selection: string | null
  readonly located: Located['rows']
  readonly onSight: (range: RowRange) => void
}

/** The scrolled list: it moves by hand, by key, by jump, and to a selection made elsewhere. */
export function TranscriptList(props: Props) {
  const { conversationId, total, columns, selection, located, messageAt, fetchAt, onSight } = props
  const list = useRef<VirtuosoHandle>(null)
  // What was picked here is in sight already: going there would pull the text away under the pointer.
  const pickedHere = useRef<string | null>(selection)
  const [top, setTop] = useState(located?.first ?? 0)
  const [seenTotal, setSeenTotal] = useState(total)
  const foldMessage = useFoldMessage()
  const rowPx = assumedRowPx(total)

  const select = useCallback((id: string, how: 'push' | 'replace' = 'push') => {
    pickedHere.current = id
    navigate({ selection: id }, how)
  }, [])
  const scrollTo = useCallback((rank: number, align: 'start' | 'center' | 'end') => {
    list.current?.scrollToIndex({ index: rank, align })
  }, [])

  const first = located?.first
  useEffect(() => {
    if (first === undefined || selection === pickedHere.current) return
    pickedHere.current = selection
    scrollTo(first, 'center')
  }, [first, selection, scrollTo])

  const move = async (rank: number) => {
    const place = Math.min(total - 1, Math.max(0, rank))
    const message = await fetchAt(place)
    if (message === undefined) return
    select(message.id, 'replace')
    list.current?.scrollIntoView({ index: place })
  }
  useListKeys({
    move: (steps) => void move(located === null ? top : steps > 0 ? located.last + 1 : located.first - 1),
    start: () => void move(0),
    end: () => void move(total - 1),
    open: () => {
      if (selection !== null) foldMessage(selection)
    },
  })

  const row = useCallback(
    (rank: number) => {
      const message = messageAt(rank)
      if (message === undefined || message === null) return <PlaceholderRow heightPx={rowPx} />
      return (
        <MessageRow
          message={message}
          before={messageAt(rank - 1)}
          after={messageAt(rank + 1)}
          columns={columns}
          selection={selection}
          isInRange={selection !== null && message.coveredBy.some(({ id }) => id === selection)}
          onSelect={select}
        />
      )
    },
    [messageAt, columns, selection, select, rowPx],
  )

  return (
    <>
      <JumpBar
        conversationId={conversationId}
        total={total}
        columns={columns}
        top={top}
        topMessage={messageAt(top) ?? null}
        newer={total - seenTotal}
        onJump={(rank) => scrollTo(rank, rank >= total - 1 ? 'end' : 'start')}
      />
      <Virtuoso
        ref={list}
        className={styles.list}
        role="feed"
        aria-label="Messages"
        totalCount={total}
        defaultItemHeight={rowPx}
        initialTopMostItemIndex={located === null ? 0 : { index: located.first, align: 'center' }}
        increaseViewportBy={300}
        followOutput={(isAtEnd) => (isAtEnd ? 'auto' : false)}
        atBottomStateChange={(isAtEnd) => {
          if (isAtEnd) setSeenTotal(total)
        }}
        rangeChanged={({ startIndex, endIndex }) => onSight({ first: startIndex, last: endIndex })}
        onScroll={(event: UIEvent<HTMLElement>) => setTop((before) => topRank(event.currentTarget) ?? before)}
        itemContent={row}
      />
    </>
  )
}

/** The first row that can be seen. The list itself only tells which rows are on the page, in sight or near it. */
function topRank(scroller: HTMLElement): number | null {
  const edge = scroller.getBoundingClientRect().top
  for (const row of scroller.querySelectorAll<HTMLElement>('[data-index]'))
    if (row.getBoundingClientRect().bottom > edge + 1) return Number(row.dataset.index)
  return null
}
