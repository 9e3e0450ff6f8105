import type { KeyboardEvent } from 'react'
import type { ListedConversation } from '#core/contract/memory.ts'
import { ConversationDetail } from '../features/detail/conversation-detail.tsx'
import { NodeDetail, type NoteOfNode } from '../features/detail/node-detail.tsx'
import { NoteButtons, NoteSection } from '../features/notes/note-section.tsx'
import { OperateMenu } from '../features/surgery/operate-menu.tsx'
import type { SurgeryAsk } from '../features/surgery/surgery-ask.ts'
import { HitPath } from '../features/trace/hit-path.tsx'
import { RecoveryPanel } from '../features/trace/recovery-panel.tsx'
import { currentRoute, navigate, useRoutePart } from '../routes.ts'
import { Button } from '../ui/controls/button.tsx'
import { classNames } from '../ui/controls/class-names.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { PANEL_LABELS, type PanelTab } from './panel-tabs.ts'
import styles from './right-panel.module.css'
import tabStyles from './tabs.module.css'
import { searchedWords } from './use-frame-keys.ts'
import type { RightPanelState } from './use-right-panel.ts'

type Props = {
  readonly width: number
  readonly isOverlay: boolean
  readonly panel: RightPanelState
  readonly conversation: ListedConversation | null
  readonly onOperate: (ask: SurgeryAsk) => void
}

const NOTE: NoteOfNode = {
  buttons: (id) => <NoteButtons id={id} />,
  section: (id) => <NoteSection id={id} />,
}

/**
 * The right side: the detail of what is selected, or the conversation. In Find it also says what became of a hit or of
 * traced words.
 */
export function RightPanel({ width, isOverlay, panel, conversation, onOperate }: Props) {
  const selection = useRoutePart('selection')
  const { tabs, tab, asked } = panel
  return (
    <aside className={styles.panel} style={{ width }} data-overlay={isOverlay || undefined} aria-label="Detail">
      {tab !== null && tabs.length > 1 && <PanelTabs tabs={tabs} tab={tab} onShow={panel.show} />}
      <div className={styles.content}>
        {(tab === 'path' || tab === 'recovery') && asked !== null && (
          <ErrorBoundary subject={asked.tracedId ?? undefined}>
            {tab === 'path' ? <HitPath asked={asked} /> : <RecoveryPanel asked={asked} />}
          </ErrorBoundary>
        )}
        {tab === 'detail' && selection !== null && (
          <ErrorBoundary subject={selection}>
            <NodeDetail
              id={selection}
              note={NOTE}
              operate={(node) => (
                <>
                  {node.kind !== 'file' && <TraceButton id={node.id} />}
                  <OperateMenu node={node} onAsk={onOperate} />
                </>
              )}
            />
          </ErrorBoundary>
        )}
        {tab === 'conversation' && conversation !== null && <ConversationDetail conversation={conversation} />}
      </div>
    </aside>
  )
}

type TabsProps = {
  readonly tabs: readonly PanelTab[]
  readonly tab: PanelTab
  readonly onShow: (tab: PanelTab) => void
}

/** The tabs of the panel. The arrow keys go from one to the next. */
function PanelTabs({ tabs, tab, onShow }: TabsProps) {
  const step = (event: KeyboardEvent<HTMLElement>) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const index = tabs.indexOf(tab) + by
    const next = tabs[index]
    if (by === 0 || next === undefined) return
    event.preventDefault()
    onShow(next)
    const button = event.currentTarget.children[index]
    if (button instanceof HTMLElement) button.focus()
  }
  return (
    <div className={styles.tabs} role="tablist" aria-label="Right panel" onKeyDown={step}>
      {tabs.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          className={classNames(tabStyles.tab, styles.tab)}
          aria-selected={each === tab}
          tabIndex={each === tab ? 0 : -1}
          title={PANEL_LABELS[each].hint}
          onClick={() => onShow(each)}
        >
          {PANEL_LABELS[each].label}
        </button>
      ))}
    </div>
  )
}

/** Follows a message or summary up to the window. */
function TraceButton({ id }: { readonly id: string }) {
  return (
    <Button
      title="What became of it on its way to the window (T)"
      onClick={() =>
        navigate({ view: 'find', searchKind: 'trace', tracedId: id, query: searchedWords(currentRoute()) }, 'push')
      }
    >
      Trace
    </Button>
  )
}
