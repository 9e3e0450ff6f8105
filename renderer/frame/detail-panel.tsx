import { useState } from 'react'
import type { ListedConversation, MemoryInfo } from '../../core/contract/memory.ts'
import { ConversationDetail } from '../features/detail/conversation-detail.tsx'
import { NodeDetail } from '../features/detail/node-detail.tsx'
import { RepairPanel } from '../features/integrity/repair-panel.tsx'
import { tracedOf } from '../features/probe/traced-question.ts'
import { useProbedQuestion } from '../features/probe/use-probe.ts'
import { OperateMenu } from '../features/surgery/operate-menu.tsx'
import type { SurgeryAsk } from '../features/surgery/surgery-ask.ts'
import { RecoveryPanel } from '../features/trace/recovery-panel.tsx'
import { type TraceAsked, useTraceAsked } from '../features/trace/use-trace.ts'
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

/** What the view traces: what the address says, or what answers the selected question of a probe. */
function useTracedHere(): TraceAsked | null {
  const { view, searchKind, conversationId } = useRoute()
  const asked = useTraceAsked()
  const question = useProbedQuestion()
  if (view !== 'search') return null
  if (searchKind === 'trace') return asked
  return searchKind === 'probe' && question !== null ? tracedOf(conversationId, question) : null
}

/**
 * The right side: the selection, whatever view it was made in; without one, the conversation, and beside the findings
 * what can be done about them.
 */
export function DetailPanel({ width, conversation, info, onOperate }: Props) {
  const { selection, view } = useRoute()
  const traced = useTracedHere()
  const [isSalvaging, setSalvaging] = useState(false)
  const hasPlan = view === 'integrity'
  const isTracing = traced !== null
  const [traceTab, setTraceTab] = useState<TraceTab>('recovery')
  const isRecovery = traced !== null && traceTab === 'recovery'
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
        <ErrorBoundary subject={traced?.tracedId ?? undefined}>
          <RecoveryPanel asked={traced} />
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
