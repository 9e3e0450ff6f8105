import { useEffect, useRef, useState } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { plural } from '../../ui/format.ts'
import styles from './hit-list.module.css'
import { HitRow } from './hit-row.tsx'
import { type Row, rowOfHit } from './rows.ts'
import type { ActiveHit } from './use-active-hit.ts'

type Props = {
  readonly rows: readonly Row[]
  /** Names of the conversations. */
  readonly titles: ReadonlyMap<number, string>
  readonly active: ActiveHit
  readonly isStale: boolean
  /** There are hits that were not fetched yet. */
  readonly hasMore: boolean
  readonly onEnd: () => void
}

/** The hits under their conversations. */
export function HitList({ rows, titles, active, isStale, hasMore, onEnd }: Props) {
  const list = useRef<VirtuosoHandle>(null)
  const index = rowOfHit(rows, active.position)
  // Whoever comes back from a hit finds the list at it.
  const [first] = useState(index)
  useEffect(() => {
    // The head of the first group comes along, so that the top can be reached by key.
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
      data={rows}
      computeItemKey={(_, row) => row.key}
      initialTopMostItemIndex={first > 1 ? { index: first, align: 'center' } : 0}
      increaseViewportBy={300}
      endReached={onEnd}
      itemContent={(_, row) =>
        row.kind === 'head' ? (
          <GroupHead
            title={titles.get(row.conversationId) ?? `conversation ${row.conversationId}`}
            count={`${plural(row.hits, 'hit')}${hasMore ? ' so far' : ''}`}
          />
        ) : (
          <HitRow
            hit={row.hit}
            position={row.position}
            isActive={row.position === active.position}
            onSelect={active.select}
            onOpen={active.open}
          />
        )
      }
    />
  )
}

function GroupHead({ title, count }: { readonly title: string; readonly count: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    <div className={styles.head} role="row" tabIndex={-1}>
      {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
      <span className={styles.title} role="gridcell" tabIndex={-1}>
        {title}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
      <span role="gridcell" tabIndex={-1}>
        {count}
      </span>
    </div>
  )
}
