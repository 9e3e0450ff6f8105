import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import type { GrepHit } from '../../../core/contract/retrieval.ts'
import { api } from '../../api.ts'
import { conversationName } from '../../ui/conversation-order.ts'
import { keepFoundTexts } from '../../ui/found-texts.ts'
import { Loading } from '../../ui/loading.tsx'
import { FilterBar } from './filter-bar.tsx'
import { grepRequest, toggled } from './filters.ts'
import { HitList } from './hit-list.tsx'
import { NoHits } from './no-hits.tsx'
import { QueryHelp } from './query-help.tsx'
import { rowsOf, stopsOf } from './rows.ts'
import { SearchError } from './search-error.tsx'
import { SearchField } from './search-field.tsx'
import { SearchSummary } from './search-summary.tsx'
import styles from './search-view.module.css'
import { useActiveRow } from './use-active-row.ts'
import { useChosenSummary } from './use-chosen-summary.ts'
import { useFilters } from './use-filters.ts'
import { useQueryText } from './use-query-text.ts'
import { type Search, useSearch } from './use-search.ts'

type Props = {
  readonly conversationId: number | null
  /** Leads over to asking. */
  readonly kinds: ReactNode
}

/** A search that has not come to its end, and has found nothing until now. */
function NothingYet({ search: { phase, rows } }: { readonly search: Search }) {
  if (phase === 'failed') return null
  if (phase === 'running' && rows === 0) return <Loading what="hits" lines={8} />
  const text =
    phase === 'running'
      ? 'Nothing so far. What is found appears here while the rest is looked at.'
      : 'Nothing in the texts that were looked at before it was stopped.'
  return <p className={styles.yet}>{text}</p>
}

/** Search as one types, over messages, summaries and files; a hit opens in its place. */
export function FindView({ conversationId, kinds }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const queries = useQueryClient()
  const { text, setText, query } = useQueryText()
  const [filters, setFilters] = useFilters()
  const isAsked = query.trim() !== ''
  const request = useMemo(
    () => (isAsked ? grepRequest(query, filters, conversationId) : null),
    [isAsked, query, filters, conversationId],
  )
  const [isAtTop, setAtTop] = useState(true)
  const search = useSearch(request, isAtTop)
  const [folded, setFolded] = useState<readonly string[]>([])
  const rows = useMemo(
    () => rowsOf(search.pages, filters.group, new Set(folded)),
    [search.pages, filters.group, folded],
  )
  const stops = useMemo(() => stopsOf(rows), [rows])
  const fold = (key: string) => setFolded(toggled(folded, key))
  const active = useActiveRow(stops, query, { onNearEnd: search.more, onFold: fold, onOpen: keepMatches })
  if (isAtTop !== active.isUnmoved) setAtTop(active.isUnmoved)

  const conversations = useQuery(api.conversations.list.queryOptions())
  const titles = useMemo(
    () => new Map(conversations.data?.map((row) => [row.conversationId, conversationName(row)])),
    [conversations.data],
  )
  const summary = useChosenSummary()

  /** What was found is marked where it is opened. */
  function keepMatches({ id, snippet, matches }: GrepHit): void {
    keepFoundTexts(
      queries,
      id,
      matches.map(([from, to]) => snippet.slice(from, to)),
    )
  }

  const hasHits = isAsked && stops.length > 0
  return (
    <>
      <SearchField
        input={input}
        kinds={kinds}
        text={text}
        onText={setText}
        filters={filters}
        onFilters={setFilters}
        active={active}
        hasHits={hasHits}
      />
      <FilterBar filters={filters} onFilters={setFilters} summary={summary} />
      {isAsked && search.error !== null && <SearchError error={search.error} onRetry={search.again} />}
      {isAsked && search.phase !== 'idle' && <SearchSummary search={search} filters={filters} onFilters={setFilters} />}
      {!isAsked ? (
        <QueryHelp onTry={setText} />
      ) : hasHits ? (
        <HitList
          rows={rows}
          titles={titles}
          active={active}
          isStale={search.isStale}
          hasMore={search.nextCursor !== null || search.phase === 'running'}
          onEnd={search.more}
          onFold={fold}
        />
      ) : search.phase === 'done' ? (
        <NoHits query={query} filters={filters} onFilters={setFilters} />
      ) : (
        <NothingYet search={search} />
      )}
    </>
  )
}
