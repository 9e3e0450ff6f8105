import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { ListedConversation } from '#core/contract/memory.ts'
import { api } from '../api.ts'
import { navigate } from '../routes.ts'
import { Icon } from '../ui/controls/icon.tsx'
import { Menu } from '../ui/controls/menu.tsx'
import { SectionHeading } from '../ui/controls/section-heading.tsx'
import {
  CONVERSATION_ORDERS,
  HIDE_INTERNAL_KEY,
  listQuestion,
  ORDER_KEY,
  orderOf,
  useConversations,
} from '../ui/data/use-conversations.ts'
import { useDebounced } from '../ui/data/use-debounced.ts'
import { useStored } from '../ui/data/use-stored.ts'
import { ErrorLine } from '../ui/states/error-state.tsx'
import { Loading } from '../ui/states/loading.tsx'
import { formatCount } from '../ui/texts/format.ts'
import { ConversationItem, useHealth } from './conversation-item.tsx'
import styles from './conversation-list.module.css'

type Props = {
  readonly current: ListedConversation | null
  /** In CSS pixels. */
  readonly width: number
  /** What stands below the list. */
  readonly children?: ReactNode
}

const ORDER_LABELS = { change: 'Change', size: 'Size', pressure: 'Window' } as const
/** A shorter list needs no filter. */
const FILTER_FROM = 8
const TYPING_MS = 100

/**
 * The conversations of the file as families. Up and down arrows go through them, left to the one that a conversation came
 * from, and right to the first that came from it.
 */
export function ConversationList({ current, width, children }: Props) {
  const currentId = current?.conversationId ?? null
  const settings = useQuery(api.memory.settings.queryOptions())
  const [filter, setFilter] = useState('')
  const [stored, setOrder] = useStored<string>(ORDER_KEY, 'change')
  const order = orderOf(stored)
  const [isHidingInternal, setHidingInternal] = useStored<boolean>(HIDE_INTERNAL_KEY, false)
  const list = useRef<VirtuosoHandle>(null)
  const words = useDebounced(filter, TYPING_MS)
  const found = useConversations(listQuestion(words, order, isHidingInternal))
  const { counts } = found
  const internal = counts?.internal ?? 0
  const rows = useMemo(
    () => withCurrent(found.rows ?? [], isHidingInternal ? current : null),
    [found.rows, isHidingInternal, current],
  )

  const healthOf = useHealth()

  const go = (event: KeyboardEvent) => {
    // In the filter they move the cursor.
    if (event.target instanceof HTMLInputElement && /^Arrow(?:Left|Right)$/.test(event.key)) return
    const index = rows.findIndex((row) => row.conversationId === currentId)
    const to = indexAfter(rows, index, event.key)
    const next = to === index ? undefined : rows[to]
    if (next === undefined) return
    event.preventDefault()
    navigate({ conversationId: next.conversationId }, 'replace')
    list.current?.scrollIntoView({ index: to })
  }

  return (
    <nav className={styles.panel} style={{ width }} aria-label="Conversations" onKeyDown={go}>
      <div className={styles.heading}>
        <SectionHeading
          aside={
            <Menu
              label={`Sorted by ${ORDER_LABELS[order].toLowerCase()}`}
              items={CONVERSATION_ORDERS.map((value) => ({
                label: ORDER_LABELS[value],
                isChecked: value === order,
                onSelect: () => setOrder(value),
              }))}
            >
              {ORDER_LABELS[order].toLowerCase()}
              <Icon name="chevronDown" />
            </Menu>
          }
        >
          {counts === undefined
            ? 'Conversations'
            : headingText(counts.found + rows.length - (found.rows?.length ?? 0), counts.total)}
        </SectionHeading>
      </div>
      {((counts?.total ?? 0) >= FILTER_FROM || filter !== '') && (
        <input
          className={styles.filter}
          type="text"
          placeholder="Filter"
          aria-label="Filter conversations"
          spellCheck={false}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && setFilter('')}
        />
      )}
      {(internal > 0 || isHidingInternal) && (
        <button
          type="button"
          className={styles.internal}
          aria-pressed={isHidingInternal}
          title="Runs of the memory system itself, such as those of its summariser"
          onClick={() => setHidingInternal(!isHidingInternal)}
        >
          hide internal · {formatCount(internal)}
        </button>
      )}
      {found.error && <ErrorLine error={found.error} onRetry={found.retry} />}
      {found.rows === null && !found.error && <Loading what="conversations" lines={6} />}
      {found.rows !== null && rows.length === 0 && (
        <p className={styles.none}>{filter === '' ? 'None in this file.' : 'None has these words.'}</p>
      )}
      <Virtuoso
        ref={list}
        className={styles.list}
        // Its rows take the focus, and it would be one stop more.
        tabIndex={-1}
        data={rows}
        computeItemKey={(_, row) => row.conversationId}
        fixedItemHeight={42}
        endReached={found.more}
        itemContent={(_, row) => (
          <ConversationItem
            row={row}
            isCurrent={row.conversationId === currentId}
            settings={settings.data}
            health={healthOf(row.conversationId)}
          />
        )}
      />
      {children}
    </nav>
  )
}

/** Returns where a key leads from a row of the list. */
function indexAfter(rows: readonly ListedConversation[], index: number, key: string): number {
  const id = rows[index]?.conversationId ?? null
  const parentId = rows[index]?.parentConversationId ?? null
  if (key === 'ArrowDown') return index + 1
  if (key === 'ArrowUp') return index - 1
  if (key === 'ArrowLeft' && parentId !== null) return rows.findIndex((row) => row.conversationId === parentId)
  if (key === 'ArrowRight' && id !== null) return rows.findIndex((row) => row.parentConversationId === id)
  return index
}

/** A hidden conversation that is on screen stays in the list. */
function withCurrent(
  rows: readonly ListedConversation[],
  current: ListedConversation | null,
): readonly ListedConversation[] {
  if (!current?.internal || rows.some((row) => row.conversationId === current.conversationId)) return rows
  return [current, ...rows]
}

/** While some are hidden there is no room for the word beside both numbers. */
const headingText = (shown: number, all: number): string =>
  shown === all ? `Conversations · ${formatCount(all)}` : `${formatCount(shown)} of ${formatCount(all)}`
