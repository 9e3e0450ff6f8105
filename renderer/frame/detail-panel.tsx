import { useState } from 'react'
import type { ListedConversation, MemoryInfo } from '../../core/contract/memory.ts'
import { ConversationDetail } from '../features/detail/conversation-detail.tsx'
import { NodeDetail } from '../features/detail/node-detail.tsx'
import { RepairPanel } from '../features/integrity/repair-panel.tsx'
import { OperateMenu } from '../features/surgery/operate-menu.tsx'
import type { SurgeryAsk } from '../features/surgery/surgery-ask.ts'
import { RecoveryPanel } from '../features/trace/recovery-panel.tsx'
import { SalvageDialog } from '../features/welcome/salvage-dialog.tsx'
import { navigate, useRoute } from '../routes.ts'
import { Button } from '../ui/button.tsx'
import { Segmented } from '../ui/segmented.tsx'
import styles from './detail-panel.module.css'
import { ErrorBoundary } from './error-boundary.tsx'

type Props = {
  readonly width: number
  readonly conversation: ListedConversation | null
  readonly info: MemoryInfo
  readonly onOperate: (ask: SurgeryAsk) => void
}

type TraceTab = 'recovery' | 'detail'
const TRACE_TABS = [
  { value: 'detail', label: 'Detail', hint: 'What is selected' },
  { value: 'recovery', label: 'Get it back', hint: 'How to have in the window again what was lost' },
] as const

/** Follows a message or summary up to the window. */
function TraceButton({ id }: { readonly id: string }) {
  return (
    <Button
      title="What became of it on its way to the window (T)"
      onClick={() => navigate({ view: 'search', searchKind: 'trace', tracedId: id, query: null }, 'push')}
    >
      Trace
    </Button>
  )
}

/**
 * The right side: the selection, whatever view it was made in; without one, the conversation, and beside the findings
 * what can be done about them.
 */
export function DetailPanel({ width, conversation, info, onOperate }: Props) {
  const { selection, view, searchKind, tracedId } = useRoute()
  const [isSalvaging, setSalvaging] = useState(false)
  const hasPlan = view === 'integrity'
  const isTracing = view === 'search' && searchKind === 'trace'
  const [traceTab, setTraceTab] = useState<TraceTab>('recovery')
  const isRecovery = isTracing && traceTab === 'recovery'
  return (
    <aside
      className={styles.panel}
      style={{ width }}
      aria-label="Detail"
      data-empty={selection === null && !hasPlan && !isTracing ? '' : undefined}
    >
      {isTracing && (
        <div className={styles.tabs}>
          <Segmented label="Beside the trace" options={TRACE_TABS} value={traceTab} onChange={setTraceTab} />
        </div>
      )}
      {isRecovery && (
        <ErrorBoundary subject={tracedId ?? undefined}>
          <RecoveryPanel />
        </ErrorBoundary>
      )}
      {!isRecovery && selection !== null && (
        <ErrorBoundary subject={selection}>
          <NodeDetail
            id={selection}
            operate={(node) => (
              <>
                {node.kind !== 'file' && <TraceButton id={node.id} />}
                <OperateMenu node={node} onAsk={onOperate} />
              </>
            )}
          />
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
      {!hasPlan && !isRecovery && selection === null && conversation !== null && (
        <ConversationDetail conversation={conversation} />
      )}
      {isSalvaging && <SalvageDialog path={info.path} onClose={() => setSalvaging(false)} />}
    </aside>
  )
}
