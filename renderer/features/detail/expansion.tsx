import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { type NodeLook, nodeColor, nodeLabel } from '#renderer/ui/nodes/depth-color.ts'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { joinExpansion } from './join-expansion.ts'
import styles from './node-detail.module.css'

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
      {nodes.length + messages.length + tooLarge.length === 0 && <p className="dim">There is nothing below it.</p>}
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
        <p key={id} className="dim">
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

type RowProps = {
  readonly id: string
  readonly node: NodeLook
  readonly tokens: number
  readonly atMs: number | null
  readonly content: string
  /** Its own sources, which can be unfolded. Null when it has none, or when they are shown already. */
  readonly sources: ReactNode
}

/** Longer texts are read in the transcript. */
const MAX_CHARS = 6000

/** One source: role, time, size, text, and its own sources. */
function ExpansionRow({ id, node, tokens, atMs, content, sources }: RowProps) {
  const [isOpen, setOpen] = useState(false)
  const isTool = node.kind === 'message' && node.role === 'tool'
  return (
    <div className={styles.expansionRow} style={{ borderColor: nodeColor(node) }}>
      <div className={styles.head}>
        {sources !== null && (
          <IconButton
            icon={isOpen ? 'chevronDown' : 'chevronRight'}
            label={`${isOpen ? 'Fold' : 'Expand'} ${id}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        )}
        <NodeLink id={id} node={node} />
        <span>
          {nodeLabel(node)}
          {atMs !== null && (
            <>
              {' · '}
              <TimeText atMs={atMs} form="short" />
            </>
          )}
        </span>
        <span className={styles.tokens} title="tokens">
          {formatCount(tokens)}
        </span>
      </div>
      <div className={classNames(styles.text, isTool && styles.mono)} dir="auto">
        <MarkedText text={content.slice(0, MAX_CHARS)} />
        {content.length > MAX_CHARS && ` … ${formatCount(content.length - MAX_CHARS)} more characters`}
      </div>
      {isOpen && <div className={styles.below}>{sources}</div>}
    </div>
  )
}
