import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loading } from '../../ui/loading.tsx'
import field from '../../ui/search-input.module.css'
import { Segmented } from '../../ui/segmented.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { TenantHits } from './tenant-hits.tsx'
import styles from './tenant-search.module.css'
import type { Opening } from './use-opening.ts'

const TYPING_MS = 300

export type Sought = { readonly query: string; readonly mode: 'words' | 'question' | 'literal' | 'regex' }
export const NOTHING_SOUGHT: Sought = { query: '', mode: 'words' }

const MODES: readonly { readonly value: Sought['mode']; readonly label: string; readonly hint: string }[] = [
  { value: 'words', label: 'Words', hint: 'Texts that have all of these words' },
  { value: 'question', label: 'Question', hint: 'Texts with most of the rare words of a question' },
  { value: 'literal', label: 'Characters', hint: 'Texts that contain exactly this' },
  { value: 'regex', label: 'Pattern', hint: 'A regular expression (RE2)' },
]

const askedFor = ({ query, mode }: Sought) =>
  mode === 'words' || mode === 'question'
    ? ({ query, mode: 'full_text', match: mode === 'words' ? 'all' : 'question' } as const)
    : { query, mode }

type FieldProps = { readonly tenant: string; readonly sought: Sought; readonly onSeek: (sought: Sought) => void }

/** What is sought in all conversations of a tenant. */
export function TenantSearchField({ tenant, sought, onSeek }: FieldProps) {
  return (
    <div className={styles.bar}>
      <label className={field.field}>
        <Icon name="search" />
        <input
          type="search"
          aria-label={`Search the texts of ${tenant}`}
          placeholder={`Search all messages and summaries of ${tenant}`}
          spellCheck={false}
          value={sought.query}
          onChange={(event) => onSeek({ ...sought, query: event.target.value })}
        />
      </label>
      <Segmented
        label="How the search is read"
        options={MODES}
        value={sought.mode}
        onChange={(mode) => onSeek({ ...sought, mode })}
      />
    </div>
  )
}

type Props = { readonly address: string; readonly tenant: string; readonly sought: Sought; readonly opening: Opening }

/** The hits in all conversations of a tenant, by conversation. */
export function TenantSearch({ address, tenant, sought, opening }: Props) {
  const asked = useDebounced(sought, TYPING_MS)
  const pages = useInfiniteQuery(
    api.servers.search.infiniteOptions({
      input: (cursor: string | undefined) => ({
        ...askedFor(asked),
        address,
        tenant,
        ...(cursor !== undefined && { cursor }),
      }),
      initialPageParam: undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      enabled: asked.query.trim() !== '',
      retry: false,
    }),
  )
  if (pages.error && pages.data === undefined) {
    return <ErrorState error={pages.error} onRetry={() => void pages.refetch()} />
  }
  if (pages.data === undefined) return <Loading what="the hits" />
  const hits = pages.data.pages.flatMap((page) => page.hits)
  const conversations = pages.data.pages.flatMap((page) => page.conversations)
  if (hits.length === 0 && !pages.hasNextPage) {
    return <EmptyState title="Nothing has this">No message and no summary of {tenant} is like that.</EmptyState>
  }
  return (
    <>
      <TenantHits tenant={tenant} hits={hits} conversations={conversations} opening={opening} />
      <div className={styles.more}>
        {pages.hasNextPage && (
          <Button look="quiet" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {pages.isFetchingNextPage ? 'Searching…' : 'Show more'}
          </Button>
        )}
        <span>
          {pages.hasNextPage ? 'the first ' : ''}
          {plural(hits.length, 'hit')}
        </span>
      </div>
    </>
  )
}
