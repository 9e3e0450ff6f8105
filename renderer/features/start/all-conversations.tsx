import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConversationsInput, ConversationTotals } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { useShown, useShownChoice } from '#renderer/routes.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { ViewHeader } from '#renderer/ui/controls/view-header.tsx'
import { MOST_CHARS, useConversation, useConversations } from '#renderer/ui/data/use-conversations.ts'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import search from '#renderer/ui/styles/search-input.module.css'
import { conversationName, costText, formatCompact, formatCount, plural } from '#renderer/ui/texts/format.ts'
import styles from './all-conversations.module.css'
import { AXES } from './chart-axis.ts'
import { ConversationTable, TABLE_SORTS } from './conversation-table.tsx'
import { LossPanel } from './loss-panel.tsx'
import { useOtherCurves } from './other-curves.ts'
import { PressureHistory } from './pressure-history.tsx'

const FILTERS = ['all', 'due', 'findings', 'compacted', 'archived'] as const
const HINTS: Readonly<Record<Filter, string>> = {
  all: 'Every conversation of the file',
  due: 'Those whose compaction is due',
  findings: 'Those in which the last check found something',
  compacted: 'Those with summaries',
  archived: 'Those that their system replaced by newer ones',
}
const TYPING_MS = 150

type Filter = (typeof FILTERS)[number]

const narrowedTo = (filter: Filter, soft: number | undefined): Partial<ConversationsInput> =>
  filter === 'due' ? { minPressure: soft ?? 1 } : { only: filter }

type Props = {
  /** The conversation that is selected first. */
  readonly conversationId: number
}

/** Every conversation of the file in one table, the selected one over time, and what its last compaction lost. */
export function AllConversations({ conversationId }: Props) {
  const [selected, setSelected] = useChosenConversation(conversationId)
  const settings = useQuery(api.memory.settings.queryOptions())
  const [sort, setSort] = useShownChoice('conversations.sort', TABLE_SORTS)
  const [reversed, setReversed] = useShown('conversations.reversed')
  const [filter, setFilter] = useShownChoice('conversations.only', FILTERS)
  const [stored, setStored] = useShown('conversations.words')
  const [words, setWords] = useState(stored ?? '')
  const query = useDebounced(words, TYPING_MS).trim().slice(0, MOST_CHARS)
  const soft = settings.data?.softThreshold
  const narrowed = narrowedTo(filter, soft)
  const found = useConversations({
    query,
    // What is lost is not known before it is counted, and only what was compacted has lost something.
    sort: sort === 'lost' ? 'compaction' : sort,
    reversed: sort !== 'lost' && reversed !== null,
    ...narrowed,
    health: true,
  })
  const totals = useQuery(api.conversations.totals.queryOptions({ retry: false })).data
  const [axis] = useShownChoice('start.axis', AXES)
  const others = useOtherCurves(selected, axis, { query, ...narrowed })
  const { counts } = found
  const checked = (useQuery(api.integrity.last.queryOptions()).data ?? null) !== null
  // How many there are of each kind, after those that are shown.
  const kinds = useQueries({
    queries: FILTERS.map((kind) => ({
      ...api.conversations.list.queryOptions({ input: { query, ...narrowedTo(kind, soft), limit: 1 } }),
      enabled: found.isAnswered && soft !== undefined,
    })),
  })
  // It may stand on a page that is not loaded, or be none of those that are asked for.
  const beyond = useConversation(selected).data ?? undefined
  const chosen = found.rows?.find((row) => row.conversationId === selected) ?? beyond
  const table = (
    <div className={styles.view}>
      <ViewHeader title={titleOf(counts)}>{totals && totalsText(totals)}</ViewHeader>
      <div className={styles.tools}>
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
          options={FILTERS.map((value, index) => {
            const isKnown = value !== 'findings' || checked
            const count = isKnown ? kinds[index]?.data?.found : undefined
            return { value, label: count === undefined ? value : `${value} ${formatCount(count)}`, hint: HINTS[value] }
          })}
          value={filter}
          onChange={setFilter}
        />
      </div>
      <ConversationTable
        found={found}
        selected={selected}
        onSelect={setSelected}
        sort={sort}
        isReversed={reversed !== null}
        onSort={(next) => {
          setReversed(next === sort && reversed === null ? '1' : null)
          setSort(next)
        }}
      />
      {chosen !== undefined && settings.data && chosen.messages > 0 && (
        <div className={styles.history}>
          <PressureHistory
            conversation={chosen}
            budgetTokens={settings.data.budgetTokens}
            title={conversationName(chosen)}
            others={others}
            onChoose={setSelected}
          />
        </div>
      )}
    </div>
  )
  return (
    <div className={styles.frame}>
      <div className={styles.both}>
        {table}
        {chosen !== undefined && (
          <div className={styles.losses}>
            <LossPanel key={selected} conversation={chosen} />
          </div>
        )}
      </div>
    </div>
  )
}

/** `1,912 messages · 653 k tokens stored → 541 k in the windows · $38.40` */
function totalsText({ messages, storedTokens, contextTokens, cost }: ConversationTotals): string {
  const stored = storedTokens !== null && `${formatCompact(storedTokens)} tokens stored`
  const active = contextTokens !== null && `${formatCompact(contextTokens)} in the windows`
  return [
    plural(messages, 'message'),
    stored && active ? `${stored} → ${active}` : stored || active,
    cost !== null && costText(cost),
  ]
    .filter((part) => part !== false)
    .join(' · ')
}

type Counts = { readonly found: number; readonly total: number }

function titleOf(counts: Counts | undefined): string {
  if (counts === undefined) return 'Conversations'
  const all = plural(counts.total, 'conversation')
  return counts.found === counts.total ? all : `${formatCount(counts.found)} of ${all}`
}

/** The conversation that is chosen in the list of all: that of the address, or at first the one on screen. */
function useChosenConversation(onScreen: number): readonly [number, (conversationId: number) => void] {
  const [text, setText] = useShown('conversations.chosen')
  const chosen = /^\d{1,15}$/.test(text ?? '') ? Number(text) : onScreen
  return [chosen, (conversationId) => setText(String(conversationId))]
}
