import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { GrepHit } from '#core/contract/retrieval.ts'
import { api } from '#renderer/api.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { conversationName, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import styles from './hit-list.module.css'
import { HitRow } from './hit-row.tsx'
import type { Group, Row } from './hit-rows.ts'
import { type HitStates, stateOf } from './hit-states.ts'
import type { ActiveRow } from './use-active-row.ts'

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

/** At most this many are drawn at once, and the others a moment later. */
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

type GroupHeadProps = {
  readonly id: string | undefined
  readonly group: Group
  readonly hits: number
  /** There may be more that were not fetched yet. */
  readonly hasMore: boolean
  readonly isFolded: boolean
  readonly isActive: boolean
  /** Name of its conversation. */
  readonly title: string
  /** There are others beside it, from which its conversation tells it apart. */
  readonly isAmongMany: boolean
  readonly onFold: (key: string) => void
}

/** What the hits below have in common, and how many they are. A click folds them. */
function GroupHead(props: GroupHeadProps) {
  const { id, group, hits, hasMore, isFolded, isActive, title, isAmongMany, onFold } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    <div id={id} className={styles.groupHead} data-active={isActive} role="row" tabIndex={-1} aria-selected={isActive}>
      {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
      <div className={styles.cell} role="gridcell" tabIndex={-1}>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={!isFolded}
          aria-label={`${isFolded ? 'Unfold' : 'Fold'} ${labelOf(group, title)}`}
          title={`${isFolded ? 'Unfold' : 'Fold'} (c)`}
          onClick={() => onFold(group.key)}
        >
          <Icon name={isFolded ? 'chevronRight' : 'chevronDown'} />
        </button>
        <span className={styles.label}>
          {group.kind === 'conversation' ? (
            <bdi className="cut">
              <MarkedText text={title} />
            </bdi>
          ) : (
            <CoverLabel group={group} />
          )}
        </span>
        <span className={styles.count}>
          {plural(hits, 'hit')}
          {hasMore && ' listed'}
        </span>
        {group.kind !== 'conversation' && isAmongMany && (
          <span className={styles.of}>
            <bdi className="cut">
              <MarkedText text={title} />
            </bdi>
          </span>
        )}
      </div>
    </div>
  )
}

function CoverLabel({ group }: { readonly group: Exclude<Group, { kind: 'conversation' }> }) {
  switch (group.kind) {
    case 'cover':
      return (
        <>
          covered by <NodeLink id={group.id} maxChars={24} conversationId={group.conversationId} view="layers" />
        </>
      )
    case 'window':
      return 'In the window themselves'
    case 'unseen':
      return 'Not in the window, and covered by nothing there'
    case 'files':
      return 'Files'
  }
}

function labelOf(group: Group, title: string): string {
  return group.kind === 'cover' ? group.id : group.kind === 'conversation' ? title : group.kind
}

export type Titles = {
  readonly of: (conversationId: number) => string
  /** The memory holds more than one conversation. */
  readonly areMany: boolean
}

/** At most this many conversations are named, those of the first hits. */
const MOST = 1000

/** The names of the conversations of hits. */
export function useTitles(pages: readonly (readonly GrepHit[])[]): Titles {
  const conversationIds = useMemo(() => {
    const ids = new Set(pages.flatMap((hits) => hits.map(({ conversationId }) => conversationId)))
    return [...ids].slice(0, MOST)
  }, [pages])
  const { data } = useQuery(
    api.conversations.list.queryOptions({
      input: { conversationIds, limit: MOST },
      enabled: conversationIds.length > 0,
      placeholderData: keepPreviousData,
    }),
  )
  return useMemo(() => {
    const titles = new Map(data?.conversations.map((row) => [row.conversationId, conversationName(row)]))
    return { of: (id) => titles.get(id) ?? `conversation ${id}`, areMany: (data?.total ?? 1) > 1 }
  }, [data])
}
