import { useEffect, useRef, useState } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { GroupHead } from './group-head.tsx'
import styles from './hit-list.module.css'
import { HitRow } from './hit-row.tsx'
import type { Row } from './hit-rows.ts'
import { type HitStates, stateOf } from './hit-states.ts'
import type { ActiveRow } from './use-active-row.ts'
import type { Titles } from './use-titles.ts'

type Props = {
  readonly rows: readonly Row[]
  readonly titles: Titles
  readonly states: HitStates
  /** Whether hits without a state are still being traced. */
  readonly isTracing: boolean
  readonly active: ActiveRow
  readonly isStale: boolean
  /** There are hits that were not fetched yet. */
  readonly hasMore: boolean
  readonly onEnd: () => void
  readonly onFold: (groupKey: string) => void
}

/** So many are drawn at once, and the others a moment later. */
const FIRST_ROWS = 8

/** The hits under the heads of their groups. */
export function HitList({ rows, titles, states, isTracing, active, isStale, hasMore, onEnd, onFold }: Props) {
  const list = useRef<VirtuosoHandle>(null)
  const index = rows.findIndex((row) => row.stop === active.stop)
  // Coming back from a hit scrolls the list to it.
  const [first] = useState(index)
  useEffect(() => {
    // The heading of the first group is shown as well, so that the keys reach the top.
    if (index >= 0) list.current?.scrollIntoView({ index: index === 1 ? 0 : index })
  }, [index])
  return (
    <Virtuoso
      ref={list}
      className={styles.list}
      data-stale={isStale}
      id="search-hits"
      role="grid"
      aria-label="Hits"
      aria-busy={isStale}
      tabIndex={-1}
      data={rows}
      computeItemKey={(_, row) => row.key}
      // Without it nothing is drawn before the list has been measured.
      initialItemCount={first > 1 ? undefined : Math.min(rows.length, FIRST_ROWS)}
      initialTopMostItemIndex={first > 1 ? { index: first, align: 'center' } : 0}
      increaseViewportBy={300}
      endReached={onEnd}
      itemContent={(_, row) =>
        row.kind === 'head' ? (
          <GroupHead
            id={row.stop === null ? undefined : `hit-${row.stop}`}
            group={row.group}
            hits={row.hits}
            hasMore={hasMore}
            isFolded={row.isFolded}
            isActive={row.stop === active.stop}
            title={titles.of(row.group.conversationId)}
            isAmongMany={titles.areMany}
            onFold={onFold}
          />
        ) : (
          <HitRow
            hit={row.hit}
            stop={row.stop}
            isActive={row.stop === active.stop}
            state={stateOf(states, row.hit.id, isTracing)}
            onSelect={active.select}
            onOpen={active.open}
          />
        )
      }
    />
  )
}
