import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { ListedConversation } from '../../core/contract/memory.ts'
import { api } from '../api.ts'
import { navigate } from '../routes.ts'
import { arrangeConversations, CONVERSATION_ORDERS, isOrder } from '../ui/conversation-order.ts'
import { formatCount } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { Loading } from '../ui/loading.tsx'
import { Menu } from '../ui/menu.tsx'
import { SectionHeading } from '../ui/section-heading.tsx'
import { useStored } from '../ui/use-stored.ts'
import { ConversationItem } from './conversation-item.tsx'
import styles from './conversation-list.module.css'

type Props = {
  readonly conversations: UseQueryResult<ListedConversation[]>
  readonly currentId: number | null
}

const ORDER_LABELS = { change: 'Change', size: 'Size', pressure: 'Pressure' } as const
/** A shorter list needs no filter. */
const FILTER_FROM = 8

/** The conversations of the file. Up and down arrows go through them. */
export function ConversationList({ conversations, currentId }: Props) {
  const settings = useQuery(api.memory.settings.queryOptions())
  const [filter, setFilter] = useState('')
  const [stored, setOrder] = useStored<string>('conversation-order', 'change')
  const order = isOrder(stored) ? stored : 'change'
  const [isHidingInternal, setHidingInternal] = useStored<boolean>('hide-internal', false)
  const list = useRef<VirtuosoHandle>(null)
  const all = conversations.data
  const internal = useMemo(() => all?.filter((row) => row.internal).length ?? 0, [all])
  const rows = useMemo(
    () =>
      arrangeConversations(all ?? [], filter, order).filter(
        // The one on screen stays in the list, whatever it is.
        (row) => !isHidingInternal || !row.internal || row.conversationId === currentId,
      ),
    [all, filter, order, isHidingInternal, currentId],
  )

  const go = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const index = rows.findIndex((row) => row.conversationId === currentId)
    const next = rows[index + step]
    if (step === 0 || next === undefined) return
    event.preventDefault()
    navigate({ conversationId: next.conversationId }, 'replace')
    list.current?.scrollIntoView({ index: index + step })
  }

  return (
    <nav className={styles.panel} aria-label="Conversations" onKeyDown={go}>
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
          {all === undefined ? 'Conversations' : headingText(rows.length, all.length)}
        </SectionHeading>
      </div>
      {(all?.length ?? 0) >= FILTER_FROM && (
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
      {internal > 0 && (
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
      {all === undefined && !conversations.error && <Loading what="conversations" lines={6} />}
      {all !== undefined && rows.length === 0 && (
        <p className={styles.none}>{filter === '' ? 'None in this file.' : 'None has these words.'}</p>
      )}
      <Virtuoso
        ref={list}
        className={styles.list}
        data={rows}
        computeItemKey={(_, row) => row.conversationId}
        fixedItemHeight={42}
        itemContent={(_, row) => (
          <ConversationItem row={row} isCurrent={row.conversationId === currentId} settings={settings.data} />
        )}
      />
    </nav>
  )
}

/** While some are hidden there is no room for the word beside both numbers. */
const headingText = (shown: number, all: number): string =>
  shown === all ? `Conversations · ${formatCount(all)}` : `${formatCount(shown)} of ${formatCount(all)}`
