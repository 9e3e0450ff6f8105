import { useQuery } from '@tanstack/react-query'
import { ReactFlowProvider } from '@xyflow/react'
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react'
import { api } from '#renderer/api.ts'
import { useSize } from '#renderer/ui/charts/use-size.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import search from '#renderer/ui/styles/search-input.module.css'
import view from '#renderer/ui/styles/view-bar.module.css'
import { plural } from '#renderer/ui/texts/format.ts'
import cards from './lineage-graph.module.css'
import { WholeCanvas } from './whole-canvas.tsx'
import styles from './whole-graph.module.css'
import { layoutWhole, type WholeLayout } from './whole-layout.ts'
import { onGraphKey, selectNext } from './whole-selection.ts'

type Props = {
  readonly conversationId: number
  /** Chooses another form of the layers. */
  readonly forms: ReactNode
}

/** Every summary of a conversation and what each was made from. */
export function WholeGraph({ conversationId, forms }: Props) {
  const { data, error, refetch } = useQuery(api.lineage.graph.queryOptions({ input: { conversationId } }))
  const placed = useMemo(() => data && layoutWhole(data), [data])
  // Placing thousands of summaries takes as long as drawing them, so each is done in a task of its own.
  const layout = useDeferredValue(placed, undefined)
  const [words, setWords] = useState('')
  const found = useFound(conversationId, layout, words)
  const area = useRef<HTMLDivElement>(null)
  const size = useSize(area)
  const summaries = data?.nodes.id.length ?? 0
  return (
    <section className={classNames(view.view, styles.graph)} aria-label="Graph">
      <header className={view.bar}>
        {forms}
        <span className={classNames(search.field, styles.field)}>
          <Icon name="search" />
          <input
            type="search"
            placeholder="Find a summary by its words"
            aria-label="Find a summary by its words"
            spellCheck={false}
            value={words}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || layout === undefined) return
              event.preventDefault()
              selectNext(layout, found ?? [])
            }}
          />
        </span>
        <span className={styles.counts} role="status">
          {found === null
            ? data && `${plural(summaries, 'summary', 'summaries')} · ${plural(data.links.from.length, 'link')}`
            : found.length === 0
              ? 'no summary says that'
              : `${plural(found.length, 'summary says', 'summaries say')} that · Enter goes to the next`}
        </span>
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no set of fields */}
      <div
        ref={area}
        className={cards.area}
        role="group"
        aria-label={`${plural(summaries, 'summary', 'summaries')}, from the first ones on the left to those made of them on the right`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the graph takes keys
        tabIndex={0}
        onKeyDown={(event) => layout && onGraphKey(event, layout)}
      >
        {layout === undefined || size === null ? (
          error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <Loading what="the summaries" lines={7} />
          )
        ) : summaries === 0 ? (
          <EmptyState title="Nothing was summarised yet">
            The graph begins with the first compaction of this conversation.
          </EmptyState>
        ) : (
          <ReactFlowProvider>
            <WholeCanvas key={conversationId} layout={layout} size={size} found={found ?? NONE} />
          </ReactFlowProvider>
        )}
      </div>
    </section>
  )
}

const NONE: readonly number[] = []
const MOST_FOUND = 200
const TYPING_MS = 150

/** Returns the nodes whose summaries have some words, in the order of the history; null without words. */
function useFound(conversationId: number, layout: WholeLayout | undefined, words: string): readonly number[] | null {
  const query = useDebounced(words, TYPING_MS).trim()
  const { data } = useQuery({
    ...api.retrieval.grep.queryOptions({ input: { query, conversationId, scope: 'summaries', limit: MOST_FOUND } }),
    enabled: query !== '',
  })
  return useMemo(() => {
    if (query === '') return null
    const ids = new Set(data?.hits.map(({ id }) => id))
    return layout?.graph.nodes.id.flatMap((id, node) => (ids.has(id) ? node : [])) ?? []
  }, [query, data, layout])
}
