import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { ConversationsInput } from '../../../core/contract/memory.ts'
import { api } from '../../api.ts'
import { useShown, useShownChoice } from '../../routes.ts'
import { formatCount, plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import search from '../../ui/search-input.module.css'
import { Segmented } from '../../ui/segmented.tsx'
import { MOST_CHARS, useConversations } from '../../ui/use-conversations.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { ViewHeader } from '../../ui/view-header.tsx'
import styles from './all-conversations.module.css'
import { ConversationTable } from './conversation-table.tsx'

const SORTS = ['change', 'messages', 'size', 'pressure', 'compaction', 'findings'] as const
const FILTERS = ['all', 'pressed', 'findings', 'compacted', 'archived'] as const
const HINTS: Readonly<Record<(typeof FILTERS)[number], string>> = {
  all: 'Every conversation of the file',
  pressed: 'Those at or past the soft threshold',
  findings: 'Those in which the last check found something',
  compacted: 'Those with summaries',
  archived: 'Those that their system replaced by newer ones',
}
const TYPING_MS = 150

/** Every conversation of the file in one table. `scope` leads back to a single one. */
export function AllConversations({ scope }: { readonly scope: ReactNode }) {
  const settings = useQuery(api.memory.settings.queryOptions())
  const [sort, setSort] = useShownChoice('overview.sort', SORTS)
  const [reversed, setReversed] = useShown('overview.reversed')
  const [filter, setFilter] = useShownChoice('overview.only', FILTERS)
  const [stored, setStored] = useShown('overview.words')
  const [words, setWords] = useState(stored ?? '')
  const query = useDebounced(words, TYPING_MS).trim().slice(0, MOST_CHARS)
  const soft = settings.data?.softThreshold
  const narrowed: Partial<ConversationsInput> = filter === 'pressed' ? { minPressure: soft ?? 1 } : { only: filter }
  const found = useConversations({ query, sort, reversed: reversed !== null, ...narrowed, health: true })
  const { counts } = found
  return (
    <div className={styles.view}>
      <ViewHeader title={titleOf(counts)} actions={scope}>
        <span className={styles.tools}>
          <span className={search.field}>
            <Icon name="search" />
            <input
              type="search"
              placeholder="Title, session or number"
              aria-label="Filter conversations by words"
              spellCheck={false}
              value={words}
              onChange={(event) => {
                setWords(event.target.value)
                setStored(event.target.value || null)
              }}
            />
          </span>
          <Segmented
            label="Which conversations"
            options={FILTERS.map((value) => ({ value, label: value, hint: HINTS[value] }))}
            value={filter}
            onChange={setFilter}
          />
        </span>
      </ViewHeader>
      <ConversationTable
        found={found}
        sort={sort}
        isReversed={reversed !== null}
        onSort={(next) => {
          setReversed(next === sort && reversed === null ? '1' : null)
          setSort(SORTS.find((one) => one === next) ?? 'change')
        }}
      />
    </div>
  )
}

type Counts = { readonly found: number; readonly total: number }

function titleOf(counts: Counts | undefined): string {
  if (counts === undefined) return 'Conversations'
  const all = plural(counts.total, 'conversation')
  return counts.found === counts.total ? all : `${formatCount(counts.found)} of ${all}`
}
