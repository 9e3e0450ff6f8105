import { startTransition, useCallback, useEffect, useRef, useState } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { Message } from '#core/contract/message.ts'
import type { CompactionMark } from '#core/contract/time-travel.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { useListKeys } from '#renderer/ui/controls/use-list-keys.ts'
import type { MessageRange } from '#renderer/ui/data/range-address.ts'
import { type LineageDirection, useLineageStep } from '#renderer/ui/nodes/use-lineage-step.ts'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { CHOSEN, useChosenMessages } from './chosen-messages.ts'
import { CopyRange, MOST_COPIED } from './copy-menu.tsx'
import { useFoldMessage } from './folds.tsx'
import { JumpBar } from './jump-bar.tsx'
import { JoinedRow, MessageRow, PlaceholderRow } from './message-row.tsx'
import { Minimap } from './minimap.tsx'
import { assumedRowPx, PLACEHOLDER_PX } from './pages.ts'
import type { PlacedAgent } from './sub-agents.ts'
import { toolPairs } from './tool-pairs.ts'
import styles from './transcript-list.module.css'
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
  readonly locate: Located['locate']
  /** The compactions by the position of the message that was the newest then. */
  readonly compactions: ReadonlyMap<number, readonly CompactionMark[]>
  /** The sub-agents near the rows in sight by the position at which they are drawn. */
  readonly agents: ReadonlyMap<number, readonly PlacedAgent[]>
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
    locate,
    compactions,
    agents,
    messageAt,
    fetchAt,
    onSight,
  } = props
  const list = useRef<VirtuosoHandle>(null)
  const pairsAt = useCallback(
    (position: number) => toolPairs(position, messageAt, (at) => compactions.has(at)),
    [messageAt, compactions],
  )
  // A message that was selected here is in sight already. Scrolling to it would move the text under the pointer.
  const pickedHere = useRef<string | null>(selection)
  const [initial] = useState<Target | null>(() => located && { position: located.first, align: 'center' })
  const scroller = useScroller(list, {
    total,
    offset,
    initial,
    rowOf: (position) => pairsAt(position).head ?? position,
  })
  const { top, isAtEnd, goTo, reveal } = scroller
  // In a long conversation unseen rows are assumed to be low, so the list begins with far more rows than it has room for.
  // All rows are empty until the list has measured them and has taken out those that have no room.
  const assumedPx = assumedRowPx(total)
  const [isMeasured, setMeasured] = useState(assumedPx >= PLACEHOLDER_PX)
  const [seenTotal, setSeenTotal] = useState(total)
  if (isAtEnd && seenTotal !== total) setSeenTotal(total)
  const foldMessage = useFoldMessage()

  const select = useCallback((id: string, how: 'push' | 'replace' = 'push') => {
    pickedHere.current = id
    navigate({ selection: id, shown: { [CHOSEN]: null } }, how)
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
      else void locate().then((rows) => move(rows === null ? top : steps > 0 ? rows.last + 1 : rows.first - 1))
    },
    start: () => void move(0),
    end: () => void move(total - 1),
    open: () => {
      if (selection !== null) foldMessage(selection)
    },
  })

  const { range, extendTo, extendBy, clear } = useChosenMessages(all)
  /** The position of the selection, or of what is in sight. */
  const positionNow = (): number =>
    offset +
    (selection !== null && cursor.current?.id === selection ? cursor.current.position : (located?.first ?? top))
  useKeys({
    J: () => reveal(extendBy(1, positionNow()) - offset),
    K: () => reveal(extendBy(-1, positionNow()) - offset),
  })
  const latestPick = useRef<(message: Message, isExtending: boolean) => void>(null)
  useEffect(() => {
    latestPick.current = (message, isExtending) => {
      if (isExtending) extendTo(message.position, positionNow())
      else if (message.id !== selection || range !== null) {
        cursor.current = { id: message.id, position: message.position - offset }
        select(message.id)
      }
    }
  })
  const pick = useCallback((message: Message, isExtending: boolean) => latestPick.current?.(message, isExtending), [])

  const deadEnd = useLineageKeys(selection, (id) => navigate({ selection: id }, 'push'))

  const row = useCallback(
    (position: number) => {
      const message = isMeasured ? messageAt(position) : undefined
      if (message === undefined || message === null) return <PlaceholderRow heightPx={PLACEHOLDER_PX} />
      const pairs = pairsAt(position)
      if (pairs.head !== null) {
        const after = messageAt(pairsAt(pairs.head).last + 1)
        return <JoinedRow message={message} after={after} columns={columns} />
      }
      return (
        <MessageRow
          message={message}
          before={messageAt(position - 1)}
          after={messageAt(pairs.last + 1)}
          columns={columns}
          pairs={pairs}
          selection={selection}
          isInRange={selection !== null && message.coveredBy.some(({ id }) => id === selection)}
          agents={agentsIn(agents, position + offset, pairs.last + offset)}
          compactions={compactions.get(pairs.last)}
          range={range}
          onSelect={select}
          onPick={pick}
        />
      )
    },
    [isMeasured, messageAt, pairsAt, columns, selection, range, compactions, agents, offset, select, pick],
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
      {range !== null && <RangeBar conversationId={conversationId} range={range} onClear={clear} />}
      <div className={styles.body}>
        <Virtuoso
          ref={list}
          className={styles.list}
          role="feed"
          aria-label="Messages"
          totalCount={total}
          defaultItemHeight={assumedPx}
          initialTopMostItemIndex={initial === null ? 0 : { index: initial.position, align: initial.align }}
          increaseViewportBy={300}
          rangeChanged={({ startIndex, endIndex }) => {
            onSight({ first: startIndex, last: endIndex })
            scroller.lookAtRows()
          }}
          totalListHeightChanged={(heightPx) => {
            if (heightPx > total * assumedPx) startTransition(() => setMeasured(true))
            scroller.onHeights()
          }}
          scrollerRef={scroller.scrollerRef}
          onScroll={scroller.lookAtRows}
          itemContent={row}
        />
        <Minimap
          conversationId={conversationId}
          total={all}
          first={top + offset}
          last={scroller.bottom + offset}
          onGo={(position) => goTo({ position: Math.min(total - 1, Math.max(0, position - offset)), align: 'center' })}
        />
      </div>
    </>
  )
}

const NO_AGENTS: readonly PlacedAgent[] = []

/** Returns the sub-agents that are drawn in a row. */
function agentsIn(
  agents: ReadonlyMap<number, readonly PlacedAgent[]>,
  first: number,
  last: number,
): readonly PlacedAgent[] {
  if (agents.size === 0) return NO_AGENTS
  if (first === last) return agents.get(first) ?? NO_AGENTS
  const all: PlacedAgent[] = []
  for (let position = first; position <= last; position++) all.push(...(agents.get(position) ?? []))
  return all.length === 0 ? NO_AGENTS : all
}

type RangeBarProps = {
  readonly conversationId: number
  readonly range: MessageRange
  readonly onClear: () => void
}

/** What can be done with the messages that are selected together. */
function RangeBar({ conversationId, range, onClear }: RangeBarProps) {
  const count = range.last - range.first + 1
  return (
    <div className={styles.bar} role="toolbar" aria-label="Selected messages">
      <span>
        {plural(count, 'message')} selected, {formatCount(range.first + 1)} to {formatCount(range.last + 1)}
      </span>
      {count > MOST_COPIED && <span className={styles.limit}>the first {formatCount(MOST_COPIED)} are copied</span>}
      <CopyRange conversationId={conversationId} range={range} />
      <Button look="quiet" onClick={onClear} title="Esc">
        Clear
      </Button>
    </div>
  )
}

const NOTHING = {
  sources: 'has no sources',
  dependents: 'is in no summary',
} as const

/**
 * Binds `→` to the first dependent of the selection and `←` to its first source.
 * @returns why the last of these keys led nowhere, or null
 */
function useLineageKeys(selection: string | null, onSelect: (id: string) => void): string | null {
  const step = useLineageStep()
  const [end, setEnd] = useState<{ readonly id: string; readonly direction: LineageDirection } | null>(null)
  const go = (direction: LineageDirection) => () => {
    if (selection === null) return false
    setEnd(null)
    // A node that is gone by now has no neighbours either. The detail panel says so.
    const found = step(selection, direction).catch(() => null)
    void found.then((id) => (id === null ? setEnd({ id: selection, direction }) : onSelect(id)))
    return true
  }
  useKeys({ ArrowRight: go('dependents'), ArrowLeft: go('sources') })
  return end !== null && end.id === selection ? `${end.id} ${NOTHING[end.direction]}` : null
}
