import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { plural } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import styles from './expansion.module.css'
import { joinExpansion } from './expansion-pages.ts'
import { ExpansionRow } from './expansion-row.tsx'

/** Tokens of one page: enough to read for a minute, little enough to arrive at once. */
const PAGE_TOKENS = 4000
const ALL_LEVELS = 1000

type Reach = 'sources' | 'messages'

/** What a summary stands for, page by page: its sources, or everything down to the messages. */
export function Expansion({ summaryId }: { readonly summaryId: string }) {
  const [reach, setReach] = useState<Reach>('messages')
  const pages = useInfiniteQuery(
    api.retrieval.expand.infiniteOptions({
      input: (cursor: string | undefined) => ({
        summaryId,
        depth: reach === 'messages' ? ALL_LEVELS : 1,
        includeMessages: true,
        tokenCap: PAGE_TOKENS,
        cursor,
      }),
      initialPageParam: undefined,
      getNextPageParam: (page) => page.next[0],
    }),
  )
  const { nodes, messages, tokens, tooLarge } = joinExpansion(pages.data?.pages ?? [])
  return (
    <section className={styles.expansion}>
      <SectionHeading
        aside={
          <Segmented<Reach>
            label="Expand to"
            options={[
              { value: 'sources', label: 'sources', hint: 'One level down' },
              { value: 'messages', label: 'messages', hint: 'All levels down' },
            ]}
            value={reach}
            onChange={setReach}
          />
        }
      >
        Expanded{pages.data && ` · ${plural(tokens, 'token')}`}
      </SectionHeading>
      {pages.error && <ErrorState error={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.isPending && <Loading what="what it stands for" lines={4} />}
      {pages.data && nodes.length + messages.length + tooLarge.length === 0 && (
        <p className={styles.none}>There is nothing below it.</p>
      )}
      {nodes.map((node) => (
        <ExpansionRow key={node.id} node={{ kind: node.kind, depth: node.depth }} {...node} atMs={null} />
      ))}
      {messages.map((message) => (
        <ExpansionRow
          key={message.id}
          node={{ kind: 'message', role: message.role }}
          {...message}
          atMs={message.createdAtMs}
        />
      ))}
      {tooLarge.map((id) => (
        <p key={id} className={styles.none}>
          <NodeLink id={id} /> is larger than a page: select it to read it.
        </p>
      ))}
      {pages.hasNextPage && (
        <Button look="quiet" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {pages.isFetchingNextPage ? 'Fetching…' : 'More'}
        </Button>
      )}
    </section>
  )
}
