import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../api.ts'
import { useRoute } from '../../routes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorLine } from '../../ui/error-line.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { useConversation } from '../../ui/use-conversations.ts'
import { type CompactionMark, compactionMarks } from './compaction-marks.ts'
import { FoldProvider } from './folds.tsx'
import { gutterColumns } from './gutter.ts'
import { TranscriptList } from './transcript-list.tsx'
import styles from './transcript-view.module.css'
import { useLocated } from './use-located.ts'
import { useSight } from './use-sight.ts'
import { useTranscript } from './use-transcript.ts'

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
  const { selection } = useRoute()
  const [inSight, look] = useSight()
  const transcript = useTranscript(conversationId, inSight)
  const located = useLocated(conversationId, selection)
  const conversation = useConversation(conversationId)
  const timeline = useQuery(api.context.timeline.queryOptions({ input: { conversationId } }))
  const compactions = useMemo(() => (timeline.data ? compactionMarks(timeline.data) : NO_MARKS), [timeline.data])

  // The list begins at the selection, so its position must be known first. Later it may arrive late.
  const isReady = !located.isPending && !conversation.isPending
  const [hasBegun, setHasBegun] = useState(isReady)
  if (isReady && !hasBegun) setHasBegun(true)

  if (transcript.total === null && transcript.error !== null)
    return <ErrorState error={transcript.error} onRetry={transcript.retry} />
  if (transcript.total === null || !hasBegun) return <Loading what="the transcript" lines={10} />
  if (transcript.total === 0)
    return <EmptyState title="No messages yet">This conversation was opened, but nothing was said in it.</EmptyState>
  return (
    <>
      {transcript.error !== null && <ErrorLine error={transcript.error} onRetry={transcript.retry} />}
      <TranscriptList
        conversationId={conversationId}
        total={transcript.total}
        columns={gutterColumns(conversation.data?.maxDepth ?? -1)}
        selection={selection}
        located={located.rows}
        compactions={compactions}
        messageAt={transcript.messageAt}
        fetchAt={transcript.fetchAt}
        onSight={look}
      />
    </>
  )
}
