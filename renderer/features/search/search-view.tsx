import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api.ts'
import { ErrorLine } from '../../ui/error-line.tsx'
import { Loading } from '../../ui/loading.tsx'
import { FilterBar } from './filter-bar.tsx'
import { HitList } from './hit-list.tsx'
import { NoHits } from './no-hits.tsx'
import { QueryHelp } from './query-help.tsx'
import { SearchField } from './search-field.tsx'
import { SearchSummary } from './search-summary.tsx'
import styles from './search-view.module.css'
import { useActiveHit } from './use-active-hit.ts'
import { useFilters } from './use-filters.ts'
import { useQueryText } from './use-query-text.ts'
import { useSearch } from './use-search.ts'

/** Search as one types, over messages and summaries; a hit opens in its place. */
export function SearchView({ conversationId }: { readonly conversationId: number | null }) {
  const { text, setText, query } = useQueryText()
  const [filters, setFilters] = useFilters()
  const search = useSearch(query, filters, conversationId)
  const hits = useMemo(() => search.rows.flatMap((row) => (row.kind === 'hit' ? [row.hit] : [])), [search.rows])
  const active = useActiveHit(hits, query, search.more)
  const conversations = useQuery(api.conversations.list.queryOptions())
  const titles = useMemo(
    () => new Map(conversations.data?.map((row) => [row.conversationId, row.title ?? row.sessionId])),
    [conversations.data],
  )
  const isAsked = query.trim() !== ''
  return (
    <section className={styles.view} aria-label="Search">
      <SearchField
        text={text}
        onText={setText}
        filters={filters}
        onFilters={setFilters}
        active={active}
        hasHits={isAsked && hits.length > 0}
      />
      <FilterBar filters={filters} onFilters={setFilters} />
      {isAsked && search.error !== null && <ErrorLine error={search.error} />}
      {isAsked && search.result !== null && <SearchSummary result={search.result} isStale={search.isStale} />}
      {!isAsked ? (
        <QueryHelp onTry={setText} />
      ) : search.result === null ? (
        search.error === null && <Loading what="hits" lines={8} />
      ) : hits.length === 0 ? (
        search.error === null && !search.isStale && <NoHits query={query} filters={filters} onFilters={setFilters} />
      ) : (
        <HitList
          rows={search.rows}
          titles={titles}
          active={active}
          isStale={search.isStale}
          hasMore={search.hasMore}
          onEnd={search.more}
        />
      )}
    </section>
  )
}
