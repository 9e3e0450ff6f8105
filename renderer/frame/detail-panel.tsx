import { useState } from 'react'
import type { ListedConversation, MemoryInfo } from '../../core/contract/memory.ts'
import { ConversationDetail } from '../features/detail/conversation-detail.tsx'
import { NodeDetail } from '../features/detail/node-detail.tsx'
import { RepairPanel } from '../features/integrity/repair-panel.tsx'
import { OperateMenu } from '../features/surgery/operate-menu.tsx'
import type { SurgeryAsk } from '../features/surgery/surgery-ask.ts'
import { SalvageDialog } from '../features/welcome/salvage-dialog.tsx'
import { useRoute } from '../routes.ts'
import styles from './detail-panel.module.css'
import { ErrorBoundary } from './error-boundary.tsx'

type Props = {
  readonly width: number
  readonly conversation: ListedConversation | null
  readonly info: MemoryInfo
  readonly onOperate: (ask: SurgeryAsk) => void
}

/**
 * The right side: the selection, whatever view it was made in; without one, the conversation, and beside the findings
 * what can be done about them.
 */
export function DetailPanel({ width, conversation, info, onOperate }: Props) {
  const { selection, view } = useRoute()
  const [isSalvaging, setSalvaging] = useState(false)
  const hasPlan = view === 'integrity'
  return (
    <aside
      className={styles.panel}
      style={{ width }}
      aria-label="Detail"
      data-empty={selection === null && !hasPlan ? '' : undefined}
    >
      {selection !== null && (
        <ErrorBoundary subject={selection}>
          <NodeDetail id={selection} operate={(node) => <OperateMenu node={node} onAsk={onOperate} />} />
        </ErrorBoundary>
      )}
      {hasPlan && (
        // What was chosen in the plan stays chosen while a node is looked at.
        <div className={styles.plan} hidden={selection !== null}>
          <ErrorBoundary>
            <RepairPanel
              info={info}
              onUndo={(backup) => onOperate({ kind: 'undo', backup: backup ?? null })}
              onSalvage={() => setSalvaging(true)}
            />
          </ErrorBoundary>
        </div>
      )}
      {!hasPlan && selection === null && conversation !== null && <ConversationDetail conversation={conversation} />}
      {isSalvaging && <SalvageDialog path={info.path} onClose={() => setSalvaging(false)} />}
    </aside>
  )
}
