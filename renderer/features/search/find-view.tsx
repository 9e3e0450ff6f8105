import { type ReactNode, useMemo, useRef, useState } from 'react'
import { errorText, toErrorInfo } from '#renderer/error-text.ts'
import { navigate, useShownChoice, useShownOf } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { useMarkedMessages } from '#renderer/ui/data/message-range.ts'
import { tracedWords } from '#renderer/ui/data/traced-words.ts'
import { useTypedQuery } from '#renderer/ui/data/use-typed-query.ts'
import { OverallVerdict } from '#renderer/ui/parts/overall-verdict-line.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { FilterBar } from './filter-bar.tsx'
import {
  activeFilters,
  type Filters,
  filterTexts,
  grepRequest,
  parseFilters,
  toggled,
  withoutFilters,
} from './filters.ts'
import { HitList, useTitles } from './hit-list.tsx'
import { rowsOf, stopsOf } from './hit-rows.ts'
import { inState, placesOfWords, STATE_FILTERS, scopeOfVerdict, stateCounts } from './hit-states.ts'
import { SearchField } from './search-field.tsx'
import { SearchSummary } from './search-summary.tsx'
import styles from './search-view.module.css'
import { StateFilterBar, useHitStates } from './state-filter-bar.tsx'
import { useActiveRow } from './use-active-row.ts'
import { useChosenSummary } from './use-chosen-summary.ts'
import { type Search, useKeptFound, useSearch } from './use-search.ts'

type Props = {
  readonly conversationId: number | null
  /** Switches to asking a question. */
  readonly kinds: ReactNode
}

/** Shown while a search has not ended and has found nothing yet. */
function NothingYet({ search: { phase, rows } }: { readonly search: Search }) {
  if (phase === 'failed' || phase === 'idle') return null
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
  const [filters, setFilters] = useFilters()
  const { text, type, query } = useTypedQuery(filters.match === 'question' ? QUESTION_SETTLE_MS : SETTLE_MS)
  const isAsked = query.trim() !== ''
  const { between, isWaiting } = useMarkedMessages(conversationId)
  const request = useMemo(
    () => (isAsked && !isWaiting ? grepRequest(query, filters, conversationId, between) : null),
    [isAsked, isWaiting, query, filters, conversationId, between],
  )
  const [isAtTop, setAtTop] = useState(true)
  const search = useSearch(request, isAtTop)
  const [folded, setFolded] = useState<readonly string[]>([])
  const words = tracedWords(query, filters.mode)
  const { states, isPending } = useHitStates(search.pages, words)
  const places = useMemo(
    () => (words === null ? [] : placesOfWords(search.pages, states)),
    [words, search.pages, states],
  )
  const [state, setState] = useShownChoice('find.state', STATE_FILTERS)
  const shown = useMemo(() => inState(search.pages, states, state), [search.pages, states, state])
  const rows = useMemo(() => rowsOf(shown, filters.group, new Set(folded)), [shown, filters.group, folded])
  const stops = useMemo(() => stopsOf(rows), [rows])
  const fold = (key: string) => setFolded(toggled(folded, key))
  const keepFound = useKeptFound(search)
  const active = useActiveRow(stops, query, { onNearEnd: search.more, onFold: fold, onOpen: keepFound })
  if (isAtTop !== active.isUnmoved) setAtTop(active.isUnmoved)

  const titles = useTitles(search.pages)
  const summary = useChosenSummary()

  const hasHits = isAsked && stops.length > 0
  return (
    <>
      <SearchField
        input={input}
        kinds={kinds}
        text={text}
        onText={type}
        filters={filters}
        onFilters={setFilters}
        active={active}
        hasHits={hasHits}
      />
      <FilterBar filters={filters} onFilters={setFilters} summary={summary} />
      {isAsked && search.error !== null && <SearchError error={search.error} onRetry={search.again} />}
      {isAsked && search.phase !== 'idle' && <SearchSummary search={search} filters={filters} onFilters={setFilters} />}
      {isAsked && places.length > 1 && (
        <OverallVerdict
          places={places}
          scope={scopeOfVerdict(places.length, search.pages, search.nextCursor !== null)}
        />
      )}
      {isAsked && search.pages.some((page) => page.length > 0) && (
        <StateFilterBar
          filter={state}
          onFilter={setState}
          counts={stateCounts(search.pages, states)}
          isPending={isPending}
        />
      )}
      {!isAsked ? (
        <QueryHelp onTry={type} />
      ) : hasHits ? (
        <HitList
          rows={rows}
          titles={titles}
          states={states}
          isTracing={isPending}
          active={active}
          isStale={search.isStale}
          hasMore={search.nextCursor !== null || search.phase === 'running'}
          onEnd={search.more}
          onFold={fold}
        />
      ) : state !== 'all' && search.pages.some((page) => page.length > 0) ? (
        <EmptyState
          title={isPending ? 'None so far' : `No loaded hit is ${state}`}
          actions={<Button onClick={() => setState('all')}>Show all hits</Button>}
        >
          {isPending ? 'The hits are still being traced.' : 'Other hits may be, further down in the list.'}
        </EmptyState>
      ) : search.phase === 'done' ? (
        <NoHits query={query} filters={filters} isLimited={between !== null} onFilters={setFilters} />
      ) : (
        <NothingYet search={search} />
      )}
    </>
  )
}

type NoHitsProps = {
  readonly query: string
  readonly filters: Filters
  /** Whether only marked messages were searched. */
  readonly isLimited: boolean
  readonly onFilters: (filters: Filters) => void
}

/** Nothing was found; what could be tried instead. */
function NoHits({ query, filters, isLimited, onFilters }: NoHitsProps) {
  const { mode, scope, where } = filters
  const isNarrowed = activeFilters(filters) > 0
  return (
    <EmptyState
      title={`Nothing ${mode === 'regex' ? 'matches' : 'has'} “${query.length > 80 ? `${query.slice(0, 80)}…` : query}”`}
      actions={
        <>
          {isNarrowed && <Button onClick={() => onFilters(withoutFilters(filters))}>Clear the filters</Button>}
          {where === 'conversation' && (
            <Button onClick={() => onFilters({ ...filters, where: 'everywhere' })}>Search all conversations</Button>
          )}
          {scope !== 'both' && (
            <Button onClick={() => onFilters({ ...filters, scope: 'both' })}>Search messages and summaries</Button>
          )}
          {mode === 'full_text' && (
            <Button onClick={() => onFilters({ ...filters, mode: 'literal' })}>Search for these characters</Button>
          )}
        </>
      }
    >
      {isLimited
        ? 'Only the marked messages, and the summaries that cover them, were searched.'
        : isNarrowed
          ? 'The filters may hide it.'
          : 'Every row was looked at.'}
    </EmptyState>
  )
}

const LINES = [
  { query: 'token refresh', meaning: 'both words; where too few texts have both, either of them' },
  { query: 'why did the refresh fail?', meaning: 'a question: any of its words in any form, the best hits first' },
  { query: '"single flight"', meaning: 'exactly this phrase' },
  { query: 'refresh*', meaning: 'every word that begins so' },
  { query: 'timeout OR deadline NOT flaky', meaning: 'either of two, without a third' },
  { query: 'ECONNRESET (attempt 3/5)', meaning: 'with “literal”: these very characters; with “regex”: a pattern' },
] as const

/** The query language, in five lines that can be tried. */
function QueryHelp({ onTry }: { readonly onTry: (query: string) => void }) {
  return (
    <div className={styles.help}>
      <h2>What was said, done or summarised</h2>
      <p>
        Text, tool arguments, tool results and reasoning of every message, every summary, and every line of large files.
      </p>
      <dl>
        {LINES.map(({ query, meaning }) => (
          <div key={query}>
            <dt>
              <button type="button" onClick={() => onTry(query)}>
                {query}
              </button>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

type SearchErrorProps = { readonly error: unknown; readonly onRetry: () => void }

/** Why there is no answer, and what to do: above the hits of the last good one. */
function SearchError({ error, onRetry }: SearchErrorProps) {
  const info = toErrorInfo(error)
  // A pattern that is half typed is no accident: the core's sentence says what is missing.
  const isTyped = info.code === 'invalid_argument'
  const { title, next } = errorText(info.code)
  return (
    <div className={styles.error} role="alert">
      <p>
        {!isTyped && <strong>{title}. </strong>}
        {info.message}
      </p>
      {!isTyped && <p className="dim">{next}</p>}
      {!isTyped && (
        <Button look="quiet" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** The filters, which stand in the address. */
function useFilters(): readonly [Filters, (filters: Filters) => void] {
  const text = useShownOf('find')
  const filters = useMemo(() => parseFilters(new URLSearchParams(text)), [text])
  return [filters, (next) => navigate({ shown: filterTexts(next) }, 'replace')]
}

/** Less than between two letters: a word is searched for when it is there. */
const SETTLE_MS = 10
/** A question is sent to a model where one is configured, so it is asked when typing pauses. */
const QUESTION_SETTLE_MS = 400
