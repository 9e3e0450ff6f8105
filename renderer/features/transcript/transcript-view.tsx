import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { CompactionMark } from '#core/contract/time-travel.ts'
import { api } from '#renderer/api.ts'
import { useRoutePart } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { useMessageRange } from '#renderer/ui/data/message-range.ts'
import { type MessageRange, rangeText } from '#renderer/ui/data/range-address.ts'
import { useConversation } from '#renderer/ui/data/use-conversations.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorLine, ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { FoldProvider } from './folds.tsx'
import { gutterColumns } from './gutter.ts'
import { marksNear } from './pages.ts'
import styles from './transcript-list.module.css'
import { TranscriptList } from './transcript-list.tsx'
import { type Located, useLocated } from './use-located.ts'
import { type RowRange, useSight } from './use-sight.ts'
import { useSubAgents } from './use-sub-agents.ts'
import { type TranscriptRows, useTranscript } from './use-transcript.ts'

const NO_MARKS: ReadonlyMap<number, readonly CompactionMark[]> = new Map()

/** Every message of a conversation, with the summaries that cover it. */
export function TranscriptView({ conversationId }: { readonly conversationId: number }) {
  return (
    <section className={styles.view} aria-label="Transcript">
      <FoldProvider key={conversationId}>
        <Transcript conversationId={conversationId} />
      </FoldProvider>
    </section>
  )
}

function Transcript({ conversationId }: { readonly conversationId: number }) {
  const selection = useRoutePart('selection')
  const [inSight, look] = useSight()
  const [marked, setMarked] = useMessageRange()
  const first = marked?.first ?? 0
  const sight = useMemo(() => ({ first: inSight.first + first, last: inSight.last + first }), [inSight, first])
  const transcript = useTranscript(conversationId, sight)
  const agents = useSubAgents(conversationId, sight, transcript.messageAt)
  const located = useLocated(conversationId, selection)
  const limited = useLimited(
    {
      ...transcript,
      located: located.rows,
      locate: located.locate,
      compactions: useCompactions(conversationId, sight),
    },
    marked,
  )
  const conversation = useConversation(conversationId)

  // The list begins at the selection, so its position must be known first. Later it may arrive late.
  const isReady = !located.isPending && !conversation.isPending
  const [hasBegun, setHasBegun] = useState(isReady)
  if (isReady && !hasBegun) setHasBegun(true)

  if (transcript.total === null && transcript.error !== null)
    return <ErrorState error={transcript.error} onRetry={transcript.retry} />
  if (transcript.total === null || !hasBegun) return <Loading what="the messages" lines={10} />
  if (transcript.total === 0)
    return <EmptyState title="No messages yet">This conversation was opened, but nothing was said in it.</EmptyState>
  if (limited.total === 0)
    return (
      <EmptyState
        title="No message is in the marked range"
        actions={<Button onClick={() => setMarked(null)}>Show all messages</Button>}
      >
        The conversation ends before it: it may have been marked in another file.
      </EmptyState>
    )
  return (
    <>
      {transcript.error !== null && <ErrorLine error={transcript.error} onRetry={transcript.retry} />}
      <TranscriptList
        key={marked === null ? 'all' : rangeText(marked)}
        conversationId={conversationId}
        columns={gutterColumns(conversation.data?.maxDepth ?? -1)}
        selection={selection}
        {...limited}
        agents={agents}
        onSight={look}
      />
    </>
  )
}

/** The compactions near the rows in sight. Those of the rows before stay until these are known. */
function useCompactions(conversationId: number, inSight: RowRange): ReadonlyMap<number, readonly CompactionMark[]> {
  const { data } = useQuery({
    ...api.context.compactions.queryOptions({ input: { conversationId, ...marksNear(inSight) } }),
    placeholderData: keepPreviousData,
  })
  return useMemo(() => (data ? Map.groupBy(data, ({ position }) => position) : NO_MARKS), [data])
}

type Rows = Pick<TranscriptRows, 'total' | 'messageAt' | 'fetchAt'> & {
  readonly located: Located['rows']
  readonly locate: Located['locate']
  readonly compactions: ReadonlyMap<number, readonly CompactionMark[]>
}

/** Returns the rows of the marked messages alone, counted from the first of them. Without a range, all rows. */
function useLimited({ total, messageAt, fetchAt, located, locate, compactions }: Rows, marked: MessageRange | null) {
  return useMemo(() => {
    const all = total ?? 0
    const first = marked === null ? 0 : Math.min(marked.first, all)
    const end = marked === null ? all : Math.min(marked.last + 1, all)
    const rowsOf = (found: Located['rows']): Located['rows'] =>
      found !== null && found.last >= first && found.first < end
        ? { first: Math.max(found.first, first) - first, last: Math.min(found.last, end - 1) - first }
        : null
    return {
      first,
      all,
      total: end - first,
      messageAt: (row: number) => (row < 0 || row >= end - first ? null : messageAt(row + first)),
      fetchAt: (row: number) => fetchAt(row + first),
      located: rowsOf(located),
      locate: async () => rowsOf(await locate()),
      compactions: first === 0 ? compactions : new Map([...compactions].map(([at, marks]) => [at - first, marks])),
    }
  }, [total, messageAt, fetchAt, located, locate, compactions, marked])
}
