import { useInfiniteQuery } from '@tanstack/react-query'
import type { RemoteHit, RemoteHits } from '#core/contract/remote.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import { nodeLabel, nodeTextColor } from '#renderer/ui/nodes/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import type { OpenedRow, Opening } from '#renderer/ui/states/use-opening.ts'
import field from '#renderer/ui/styles/search-input.module.css'
import { formatCount, plainName, plural } from '#renderer/ui/texts/format.ts'
import { Highlighted } from '#renderer/ui/texts/highlighted.tsx'
import { FIELDS } from '#renderer/ui/texts/source-passage.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './tenant-search.module.css'

const TYPING_MS = 300

export type Question = { readonly text: string; readonly mode: 'words' | 'question' | 'literal' | 'regex' }
export const EMPTY_QUESTION: Question = { text: '', mode: 'words' }

const MODES: readonly { readonly value: Question['mode']; readonly label: string; readonly hint: string }[] = [
  { value: 'words', label: 'Words', hint: 'Texts that have all of these words' },
  { value: 'question', label: 'Question', hint: 'Texts with most of the rare words of a question' },
  { value: 'literal', label: 'Characters', hint: 'Texts that contain exactly this' },
  { value: 'regex', label: 'Pattern', hint: 'A regular expression (RE2)' },
]

/** The question as the core is asked it. */
const searchInput = ({ text: query, mode }: Question) =>
  mode === 'words' || mode === 'question'
    ? ({ query, mode: 'full_text', match: mode === 'words' ? 'all' : 'question' } as const)
    : { query, mode }

type FieldProps = {
  readonly tenant: string
  readonly question: Question
  readonly onQuestion: (question: Question) => void
}

/** The field for a search in all conversations of a tenant. */
export function TenantSearchField({ tenant, question, onQuestion }: FieldProps) {
  return (
    <div className={styles.bar}>
      <label className={field.field}>
        <Icon name="search" />
        <input
          type="search"
          aria-label={`Search the texts of ${tenant}`}
          placeholder={`Search all messages and summaries of ${tenant}`}
          spellCheck={false}
          value={question.text}
          onChange={(event) => onQuestion({ ...question, text: event.target.value })}
        />
      </label>
      <Segmented
        label="How the search is read"
        options={MODES}
        value={question.mode}
        onChange={(mode) => onQuestion({ ...question, mode })}
      />
    </div>
  )
}

type Props = {
  readonly address: string
  readonly tenant: string
  readonly question: Question
  readonly opening: Opening
}

/** The hits in all conversations of a tenant, by conversation. */
export function TenantSearch({ address, tenant, question, opening }: Props) {
  const asked = useDebounced(question, TYPING_MS)
  const pages = useInfiniteQuery(
    api.servers.search.infiniteOptions({
      input: (cursor: string | undefined) => ({
        ...searchInput(asked),
        address,
        tenant,
        ...(cursor !== undefined && { cursor }),
      }),
      initialPageParam: undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      enabled: asked.text.trim() !== '',
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
    return <EmptyState title="No hits">No message and no summary of {tenant} fits.</EmptyState>
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

type HitsProps = {
  readonly tenant: string
  readonly hits: readonly RemoteHit[]
  readonly conversations: RemoteHits['conversations']
  readonly opening: Opening
}

/** Hits by conversation, in the order of their first hits. A click opens the conversation at the hit. */
function TenantHits({ tenant, hits, conversations, opening }: HitsProps) {
  const known = new Map(conversations.map((one) => [one.conversationId, one]))
  return (
    <div className={styles.list}>
      {[...Map.groupBy(hits, ({ conversationId }) => conversationId)].map(([conversationId, some]) => {
        const { label, messages } = known.get(conversationId) ?? { label: '', messages: 0 }
        const row: OpenedRow = { tenant, conversationId, label, messages }
        const name = plainName(label) || `conversation ${conversationId}`
        return (
          <section key={conversationId} aria-label={name}>
            <h2 className={styles.name}>
              <button type="button" title={`Open conversation ${conversationId}`} onClick={() => opening.open(row)}>
                <bdi>{name}</bdi>
              </button>
              <span>{formatCount(some.length)}</span>
            </h2>
            {some.map((hit) => (
              <Hit key={hit.id} hit={hit} onOpen={() => opening.open(row, hit)} />
            ))}
          </section>
        )
      })}
    </div>
  )
}

function Hit({ hit, onOpen }: { readonly hit: RemoteHit; readonly onOpen: () => void }) {
  const look = { kind: hit.kind, role: hit.role, depth: hit.depth } as Parameters<typeof nodeLabel>[0]
  const isCode = hit.field === 'tool_input' || hit.field === 'tool_output' || hit.role === 'tool'
  return (
    <button type="button" className={styles.hit} title={`Open at ${hit.id}`} onClick={onOpen}>
      <span className={styles.head}>
        <DepthSwatch node={look} />
        <span style={{ color: nodeTextColor(look) }}>{nodeLabel(look)}</span>
        <span className={styles.id}>{hit.id}</span>
        {FIELDS[hit.field] !== null && <span>{FIELDS[hit.field]}</span>}
        {hit.words && <span className="one-line">{hit.words.join(' · ')}</span>}
        <span className={styles.time}>
          <TimeText atMs={hit.createdAtMs} form="short" />
        </span>
      </span>
      <span className={classNames('clamped', styles.snippet, isCode && styles.code)}>
        <Highlighted text={hit.snippet} matches={hit.matches} />
      </span>
    </button>
  )
}
