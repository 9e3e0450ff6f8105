import type { ConversationRow } from '../../core/contract/memory.ts'
import { ConversationDetail } from '../features/detail/conversation-detail.tsx'
import { NodeDetail } from '../features/detail/node-detail.tsx'
import { useRoute } from '../routes.ts'
import styles from './detail-panel.module.css'
import { ErrorBoundary } from './error-boundary.tsx'

type Props = {
  readonly width: number
  readonly conversation: ConversationRow | null
  readonly conversations: readonly ConversationRow[]
}

/** The right side: the selection, whatever view it was made in; without one, the conversation. */
export function DetailPanel({ width, conversation, conversations }: Props) {
  const { selection } = useRoute()
  return (
    <aside
      className={styles.panel}
      style={{ width }}
      aria-label="Detail"
      data-empty={selection === null ? '' : undefined}
    >
      {selection !== null ? (
        <ErrorBoundary subject={selection}>
          <NodeDetail id={selection} />
        </ErrorBoundary>
      ) : (
        conversation !== null && <ConversationDetail conversation={conversation} conversations={conversations} />
      )}
    </aside>
  )
}
