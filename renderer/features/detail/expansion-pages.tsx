import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import styles from './detail-content.module.css'
import { ExpansionRow } from './expansion-row.tsx'
import { joinExpansion } from './join-expansion.ts'

type Props = {
  readonly summaryId: string
  /** True to expand all levels down to the messages, false for one level. */
  readonly isWhole: boolean
}

/** The tokens of one page: some minutes of reading that still arrive at once. */
const PAGE_TOKENS = 8000
const ALL_LEVELS = 1000

/** The sources of a summary, page by page. */
export function ExpansionPages({ summaryId, isWhole }: Props) {
  const pages = useInfiniteQuery(
    api.retrieval.expand.infiniteOptions({
      input: (cursor: string | undefined) => ({
        summaryId,
        depth: isWhole ? ALL_LEVELS : 1,
        includeMessages: true,
        tokenCap: PAGE_TOKENS,
        cursor,
      }),
      initialPageParam: undefined,
      getNextPageParam: (page) => page.next[0],
    }),
  )
  if (pages.error) return <ErrorState error={pages.error} onRetry={() => void pages.refetch()} />
  if (!pages.data) return <Loading what="what it stands for" lines={3} />
  const { nodes, messages, tooLarge } = joinExpansion(pages.data.pages)
  return (
    <>
      {nodes.length + messages.length + tooLarge.length === 0 && (
        <p className={styles.none}>There is nothing below it.</p>
      )}
      {nodes.map((node) => (
        <ExpansionRow
          key={node.id}
          {...node}
          node={{ kind: node.kind, depth: node.depth }}
          atMs={null}
          sources={isWhole ? null : <ExpansionPages summaryId={node.id} isWhole={false} />}
        />
      ))}
      {messages.map((message) => (
        <ExpansionRow
          key={message.id}
          {...message}
          node={{ kind: 'message', role: message.role }}
          atMs={message.createdAtMs}
          sources={null}
        />
      ))}
      {tooLarge.map((id) => (
        <p key={id} className={styles.none}>
          <NodeLink id={id} /> is larger than a page: select it to read it.
        </p>
      ))}
      {pages.hasNextPage && (
        <Button
          look="quiet"
          className={styles.next}
          disabled={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {pages.isFetchingNextPage ? 'Fetching…' : 'More'}
        </Button>
      )}
    </>
  )
}
